// A resumed batch: the devices that are left, and the results that count.

import Bluetooth
import Fixtures
import Testing

@testable import Jobs

@Suite("A resumed batch")
struct PreviousRoundTests {
  private typealias Tests = BatchRunnerTests
  private typealias Ways = KeyValuePairs<String, PreviousRound.Ending?>

  private static func past(_ ways: Ways, round: Int = 1, skipsFailed: Bool = false) -> PreviousRound
  {
    let devices = ways.map { PreviousRound.Device(label: $0.key, ending: $0.value) }
    return PreviousRound(round: round, devices: devices, skipsFailed: skipsFailed)
  }

  private static let ways: Ways = [
    "A": .init(.ok), "B": .init(.failed, .definite), "C": .init(.cancelled, .definite), "D": nil,
    "E": .init(.ok),
  ]

  @Test("devices that succeeded are skipped; the others are run, in their order")
  func left() throws {
    let bench = Tests.Bench()
    let past = Self.past(Self.ways)
    #expect(past.left == 3)
    let batch = try Tests.batch("A", "B", "C", "D", "E")
    #expect(try bench.run(bench.runner(batch, resuming: past)) == .ok)
    let begun = bench.story.filter { $0.contains("begins") }.map { $0.prefix(1) }
    #expect(begun == ["B", "C", "D"])
    #expect(bench.endings.map(\.counts.ok) == [5])
  }

  @Test("recorded steps get their titles back from the plan, also in blocks")
  func titles() throws {
    let plan = try Plan.parse(
      line: """
        sleep 1s; repeat 2 { exchange ff01 hex:01 answer ff02 }
        try { mtu } finally { log x }
        """
    )
    let device = BatchDevice(label: "A", target: .name("A"), plan: plan)
    let complete = Batch(devices: .listed([device])).completion(of: Self.past(["A": .init(.ok)]))
    let cases = [
      ("A", "1", "sleep", "sleep 1s"), ("A", "2", "repeat", "repeat 2"),
      ("A", "2[2].1", "exchange", "exchange ff01 hex:01"), ("A", "3.finally.1", "log", "log x"),
      ("A", "disconnect", "disconnect", "disconnect"), ("B", "1", "sleep", "sleep"),
    ]
    for (device, position, operation, title) in cases {
      let recorded = ReportedStep(
        recorded: try #require(StepPosition(position)), operation: operation, attribute: nil,
        written: nil, hasOctets: false
      )
      let step = complete(recorded, device)
      #expect(step.title == title)
      #expect(step.position == recorded.position)
    }
  }

  @Test("skip-failed leaves out the devices that failed but still counts them")
  func skipping() throws {
    let bench = Tests.Bench()
    let past = Self.past(Self.ways, skipsFailed: true)
    let batch = try Tests.batch("A", "B", "C", "D", "E")
    #expect(try bench.run(bench.runner(batch, resuming: past)) == .failed)
    #expect(bench.story.filter { $0.contains("begins") }.map { $0.prefix(1) } == ["C", "D"])
    #expect(bench.endings.map(\.counts.ok) == [4])
    #expect(bench.endings.map(\.counts.failed) == [1])
  }

  @Test("a batch with no devices left ends with the earlier status and runs nothing")
  func nothing() throws {
    let bench = Tests.Bench()
    let past = Self.past(["A": .init(.ok), "B": .init(.failed, .passing)], skipsFailed: true)
    let status = try bench.run(bench.runner(try Tests.batch("A", "B"), resuming: past))
    #expect(status == .passing)
    #expect(bench.events.all.isEmpty)
  }

  @Test("the limit on failures counts only the failures after the resume")
  func stopping() throws {
    let bench = Tests.Bench(["C": [Tests.refused], "D": [Tests.refused]])
    let past = Self.past(
      ["A": .init(.failed, .definite), "B": .init(.failed, .definite)], skipsFailed: true
    )
    let batch = try Tests.batch("A", "B", "C", "D", "E", onFailure: .stop(after: 2))
    try bench.run(bench.runner(batch, resuming: past))
    #expect(bench.endings.map(\.notRun) == [["E"]])
  }

  @Test("a resumed batch runs one round, with the number of the interrupted round")
  func round() throws {
    let bench = Tests.Bench()
    var batch = try Tests.batch("A", "B")
    batch.every = .seconds(10)
    let past = Self.past(["A": .init(.ok), "B": nil], round: 7)
    #expect(try bench.run(bench.runner(batch, resuming: past)) == .ok)
    #expect(bench.told.all.allSatisfy { $0.round == 7 })
    #expect(bench.endings.count == 1)
  }

  @Test("devices found by the earlier scan are not scanned for again")
  func scanned() throws {
    let text = "steps: [ { read: battery-level }, { log: \"{name}\" } ]\ndevices: { scan: 5s }\n"
    let folder = try TemporaryFolder()
    let batch = try Batch.load(path: folder.file("batch.yaml", text))
    let bench = Tests.Bench()
    let devices = [
      PreviousRound.Device(label: "C0:FF:EE:00:00:01", name: "Tag-1", ending: .init(.ok)),
      PreviousRound.Device(label: "C0:FF:EE:00:00:02", name: "Tag-2"),
    ]
    let past = PreviousRound(round: 1, devices: devices, skipsFailed: false)
    #expect(try bench.run(bench.runner(batch, resuming: past)) == .ok)
    #expect(bench.story == ["C0:FF:EE:00:00:02 begins at 0", "C0:FF:EE:00:00:02 ok at 0"])
    let texts = bench.events.all.compactMap { event -> StepOutcome? in
      if case .step(.finished(let result)) = event.change { result.outcome } else { nil }
    }
    #expect("\(texts)".contains("Tag-2"))

    // If the run was killed during its scan, the devices that it found are unknown.
    let none = PreviousRound(round: 1, devices: [], skipsFailed: false)
    #expect(try bench.run(bench.runner(batch, resuming: none)) == .passing)
    #expect(bench.endings.last?.failure?.code == .notFound)
  }

  @Test("the progress line counts earlier devices but estimates from the time since the resume")
  func progress() {
    let counts = Self.past(["A": .init(.ok), "B": nil, "C": nil, "D": nil]).counts
    var progress = BatchProgress(total: 4, begun: .zero, before: counts)
    #expect(progress.text(at: .seconds(1)) == "1/4 devices")
    let two = Self.past(["A": .init(.ok), "B": .init(.ok)]).counts
    let isNews = progress.update(with: two)
    #expect(isNews)
    #expect(progress.text(at: .seconds(10)) == "2/4 devices, 20s left")
  }

  @Test("the digest depends on the devices and steps, not on how the batch runs them")
  func digest() throws {
    let batch = try Tests.batch("A", "B")
    var other = batch
    other.concurrency = 4
    other.deadline = .seconds(5)
    other.onFailure = .stop(after: 1)
    other.every = .seconds(10)
    other.name = "Other"
    #expect(other.digest == batch.digest)
    #expect(try Tests.batch("A", "B", attempts: 2).digest == batch.digest)
    #expect(try Tests.batch("A").digest != batch.digest)
    #expect(try Tests.batch("B", "A").digest != batch.digest)
    let difference = try Tests.batch("A", "B", "C", attempts: 2).difference(from: batch.lines)
    #expect(difference?.then == "for       A, B" && difference?.now == "for       A, B, C")
  }
}
