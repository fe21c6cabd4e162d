// Running a plan in one call: its record, its events, and where its steps were written.

import Bluetooth
import Documents
import Fixtures
import Signals
import Testing

@testable import Jobs

@Suite("Running a plan in one call")
struct PlanRunningTests {
  let bench = RunBench()
  private let events = Recorded<RunEvent>()

  private func run(_ plan: Plan, within limit: Duration = .seconds(60)) throws -> RecordedRun {
    try plan.run(on: bench.device, within: limit) { [events] event in events.add(event) }
  }

  @Test("the record has the result, the steps and the captured values; events arrive live")
  func success() throws {
    let plan = try Plan("Battery") { try Step.read("battery-level").captured(as: "battery") }
    let run = try run(plan)
    #expect(run.succeeded)
    #expect(run.failures == [])
    #expect(run.captured["battery"]?.number == 72)
    #expect(run.steps.map(\.title) == ["connect", "1  read battery-level", "disconnect"])
    #expect(run.start.chain == "Battery")
    #expect("\(run)" == "'Thermo-1': ok")
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
    let all = events.all
    #expect(all.count == 9)
    guard case .run(.started) = all.first?.change,
      case .run(.finished(let ending)) = all.last?.change
    else {
      Issue.record("\(all)")
      return
    }
    #expect(ending.captured == run.captured)
  }

  @Test("a failure is part of the result and has the line and column of its step in the file")
  func failure() throws {
    let file = """
      name: Battery
      steps:
        - services
        - repeat: 2
          steps:
            - { read: battery-level, expect: { percent: { above: 90 } } }
      """
    let run = try run(try Plan.parse(file, file: "battery.yaml"))
    #expect(!run.succeeded)
    #expect(run.failures.map(\.code) == [.expectationNotMet])
    #expect(run.failures.map(\.source) == [Place(file: "battery.yaml", line: 6, column: 9)])
    #expect(
      "\(run)".hasPrefix(
        "'Thermo-1': failed\nbattery.yaml:6:9: reading battery-level: expected percent > 90"
      )
    )
    let steps = events.all.compactMap { event in
      if case .step(.started(let step)) = event.change { step } else { nil }
    }
    #expect(
      steps.map { $0.source.map(\.description) } == [
        nil, "battery.yaml:3:5", "battery.yaml:4:5", "battery.yaml:6:9", nil,
      ]
    )
  }

  @Test("a failure of a chain in Swift has the line of its step, even inside a building block")
  func swiftSource() throws {
    @StepsBuilder func charged(atLeast percent: Int) throws -> [Step] {
      Step.services
      try Step.read("battery-level")
        .expect("percent", .atLeast(Bound(percent)))
    }
    let line = #line - 3
    let plan = try Plan {
      try charged(atLeast: 90)
      Step.mtu
    }
    let run = try run(plan)
    #expect(run.failures.map(\.source) == [Place(file: #fileID, line: line)])
    #expect(plan.steps.map(\.source?.line) == [line - 1, line, line + 6])
    let last = try #require(plan.steps.last?.source)
    #expect("\(last)" == "JobsTests/PlanRunningTests.swift:\(line + 6)")
  }

  @Test("a step made outside the builder has the line where it is used; a parsed step its column")
  func otherSources() throws {
    let step = Step.mtu
    #expect(step.source == nil)
    let plan = try Plan {
      [step, step]
    }
    #expect(plan.steps.map(\.source?.line) == [#line - 2, #line - 2])
    let line = try Plan.parse(line: "mtu; read battery-level")
    #expect(line.steps.map { $0.source.map(\.description) } == ["-e:1:1", "-e:1:6"])
  }

  @Test("steps compare equal regardless of where they were written")
  func equality() throws {
    let plan = try Plan.parse(line: "mtu; mtu")
    #expect(plan.steps[0] == plan.steps[1])
    #expect(Set(plan.steps).count == 1)
    let read = try Step.read("battery-level")
    let others = [
      read.within(.seconds(1)), read.named("Battery"), read.captured(as: "b"), read.attempts(2),
      read.attempts(2, backoff: .seconds(1)), read.continuingOnFailure(),
      try read.failing(with: "busy"), try read.failing(with: "refused"),
      try read.expect("percent", .above(1)),
    ]
    #expect(Set([read] + others).count == 1 + others.count)
    let blocks = others.map { step in Step.repeated(2) { step } }
    #expect(Set(blocks).count == others.count)
  }

  /// The error of a chain. `#expect(throws:)` would give its whole closure the line of the macro.
  private func complaint(_ make: () throws -> Plan) -> Problem? {
    do {
      _ = try make()
      return nil
    } catch {
      return error as? Problem
    }
  }

  @Test("an error in a chain in Swift has the line of the call")
  func complaints() {
    let wrong = complaint {
      try Plan {
        Step.mtu
        try Step.read("batery-level")
      }
    }
    let line = #line - 3
    #expect(
      wrong?.description
        == """
        JobsTests/PlanRunningTests.swift:\(line): \
        unknown characteristic 'batery-level' (did you mean 'battery-level'?)
        """
    )
    let unknown = complaint {
      try Plan {
        try Step.read("battery-level")
          .expect("celsius", .above(1))
      }
    }
    #expect(unknown?.place == Place(file: #fileID, line: #line - 3))
    let late = complaint {
      try Plan {
        Step.mtu
        try Step.assert("battery", .above(1))
      }
    }
    #expect(late?.place == Place(file: #fileID, line: #line - 3))
    #expect(late?.path == "step 2")
  }

  @Test("a deadline that passes cancels the run, which still disconnects and returns its record")
  func deadline() throws {
    bench.device.answer("read battery-level", .silence)
    let run = try run(try Plan { try Step.read("battery-level") }, within: .seconds(6))
    #expect(run.ending?.status == .cancelled)
    #expect(run.failures.map(\.why) == ["the run did not end within 6s"])
    #expect(run.failures.map(\.source?.line) == [#line - 3])
    #expect(bench.device.calls.last == "disconnect at 6s")
  }

  @Test("a run that cannot begin throws the reason")
  func noTurn() throws {
    let plan = try Plan { Step.mtu }
    let scheduler = bench.device.scheduler
    scheduler.schedule {
      try? scheduler.loop.run { try await scheduler.loop.sleep(for: .seconds(9)) }
    }
    #expect(throws: TimedOut.self) { try run(plan, within: .seconds(1)) }
    let secret = try Plan {
      Step.pair(PairingRule(secret: SecretReference(.environment("BLERUN_NO_SUCH_SECRET"))))
    }
    #expect(throws: Problem.self) { try run(secret) }
    #expect(events.all.isEmpty)
    #expect(bench.device.calls.isEmpty)
  }

  @Test("events(on:) is a signal, and each start of it is a new run")
  func signal() throws {
    let plan = try Plan.parse(line: "read battery-level")
    let signal = plan.events(on: bench.device)
    #expect(bench.device.calls.isEmpty)
    let all = try signal.collect().firstOrThrow(within: .seconds(60))
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
    _ = try run(plan)
    #expect(all.map(\.change) == events.all.map(\.change))
    bench.device.answer("connect", .failure(DeviceFailure.scripted(.notFound, .passing)))
    let failed = try signal.collect().firstOrThrow(within: .seconds(60))
    guard case .run(.finished(let ending)) = failed.last?.change else {
      Issue.record("\(failed)")
      return
    }
    #expect(ending.failure?.code == .notFound)
  }

  @Test("a subscriber that stops reading the events ends the run, which disconnects")
  func leaving() throws {
    let plan = try Plan.parse(line: "read battery-level; sleep 1h")
    let first = plan.events(on: bench.device).take(4).collect()
    #expect(try first.firstOrThrow(within: .seconds(60)).count == 4)
    #expect(bench.device.calls == ["connect", "read battery-level", "disconnect"])
  }

  @Test("variables are a dictionary in Swift, and a name that the chain lacks is an error")
  func bindings() throws {
    let folder = try TemporaryFolder()
    let text = "variables: { least: integer }\nsteps: [{ sleep: \"{least}s\" }]"
    let file = try folder.file("chain.yaml", text)
    let plan = try Plan(file: file, with: ["least": "20"])
    #expect(plan.steps == [Step.sleep(.seconds(20))])
    let error = #expect(throws: DocumentErrors.self) {
      try Plan(file: file, with: ["least": "20", "most": "30"])
    }
    #expect(error?.description.contains("'most'") == true)
  }
}
