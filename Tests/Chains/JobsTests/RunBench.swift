// Shared by the run tests: a scripted device, a plan that runs on it, and its events.

import Bluetooth
import Documents
import Fixtures
import Signals
import Testing

@testable import Jobs

/// A run of a plan in virtual time.
struct RunBench {
  let loop: VirtualTimeLoop
  let device: ScriptedDevice
  private let recorded = Recorded<RunEvent>()
  private let loopEnd: LoopEnding

  init(origin: LinkOrigin = .made) {
    loop = VirtualTimeLoop()
    loopEnd = LoopEnding(loop)
    device = ScriptedDevice(on: loop, origin: origin)
    device.answer("read battery-level", .value([72]))
    device.answer("read temperature-measurement", .value([0, 0x6e, 0x01, 0, 0xff]))
  }

  var events: [RunEvent] { recorded.all }

  func runner(_ plan: Plan, seed: UInt64 = 0) -> ChainRunner {
    ChainRunner(
      plan: plan, service: device, identity: RunIdentity(seed: seed, plan: plan),
      device: "Thermo-1"
    ) { [recorded] event in
      recorded.add(event)
    }
  }

  /// Runs a plan to its end.
  ///
  /// - Returns: The error that the chain failed with.
  @discardableResult
  func run(_ plan: Plan, within limit: Duration = .seconds(10_000)) -> (any Error)? {
    let signal = runner(plan).chain().collect().map { Optional($0) }
    return signal.firstOrDefault(nil, within: limit).error
  }

  /// Runs steps in the one-line form.
  @discardableResult
  func run(_ line: String) throws -> (any Error)? { run(try Plan.parse(line: line)) }

  /// Runs the steps of a file.
  @discardableResult
  func run(file: String) throws -> (any Error)? { run(try Plan.parse(file, file: "chain.yaml")) }

  /// The events in short: `+1.000 connect connect ok`.
  var story: [String] {
    events.map { event in
      let what =
        switch event.change {
        case .run(.started): "run"
        case .step(.started(let step)): "\(step.position) \(step.operation)…"
        case .data(let step, .value(let value)):
          "\(step.position) \(value.decoded.map { "\($0)" } ?? "?")"
        case .remark(.pairingDisplay(_, let display)): "\(display)"
        case .data(let step, .advertisement(let device)): "\(step.position) \(device.address)"
        case .data(let step, .gap(let gap)): "\(step.position) gap \(gap.cause)"
        case .remark(.note): "note"
        case .step(.finished(let result)):
          "\(result.step.position) \(result.step.operation) \(result.status.rawValue)"
        case .run(.finished(let ending)): "run \(ending.status.rawValue)"
        case .run(.groupStarted), .run(.groupFinished): "group"
        }
      let tries = event.attempt > 1 ? "try \(event.attempt): " : ""
      return tries + what
    }
  }

  /// How each step ended, in order.
  var endings: [StepResult] {
    events.compactMap { event in
      if case .step(.finished(let result)) = event.change { result } else { nil }
    }
  }

  var ending: RunEnding? {
    events.compactMap { event in
      if case .run(.finished(let ending)) = event.change { ending } else { nil }
    }.last
  }

  func text() -> [String] { events.flatMap { TextReport().lines(for: $0) } }

  func json() -> [String] { events.flatMap { JSONLinesReport().lines(for: $0) } }
}

extension DeviceFailure {
  /// A failure for scripts.
  static func scripted(
    _ code: DeviceFailure.Code, _ class: FailureClass,
    _ operation: String = "reading battery-level"
  ) -> DeviceFailure {
    DeviceFailure(
      code: code, class: `class`, operation: operation, device: "'Thermo-1'",
      bluez: BlueZAnswer(name: "org.bluez.Error.Failed", text: "le-connection-abort-by-local"),
      meaning: "the link was lost", hint: "bring the device closer"
    )
  }
}

extension RunCollector {
  /// The runs that a collector makes of events.
  static func runs(
    of events: some Sequence<RunEvent>, in whole: CommandRecord? = nil, keepsValues: Bool = false
  ) -> [RecordedRun] {
    var collector = RunCollector(of: whole, keepsValues: keepsValues)
    for event in events { collector.apply(event) }
    return collector.runs
  }
}
