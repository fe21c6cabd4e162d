// The batch of a run and the devices of the batch, as recorded.

import Bluetooth
import Fixtures
import Jobs
import Testing

@testable import Journal

@Suite("A batch in the journal")
struct BatchRecordTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  private static let origin = BatchOrigin(
    file: "/srv/evening.yaml", name: "Evening", digest: "0123", round: 2
  )

  private func begin(in file: JournalFile, round: Int = 2) -> RunRecorder {
    var header = bench.header()
    header.batch = Self.origin
    header.batch?.round = round
    let recorder = RunRecorder(header, to: file, on: bench.loop) { [failures = bench.failures] in
      failures.add($0)
    }
    recorder.begin()
    return recorder
  }

  private static let members = [
    BatchMember(device: "Lamp-1", name: nil),
    BatchMember(device: "C0:FF:EE:00:01:01", name: "Lämp, 2"),
  ]

  @Test("the latest run of a batch is found by its file, with its devices in order")
  func found() throws {
    let file = try JournalFile(writing: bench.path)
    begin(in: file).finish(.ok)
    let recorder = begin(in: file, round: 3)
    recorder.record(Self.members)
    try bench.run(in: file)
    let run = try #require(try file.lastRun(ofBatch: "/srv/evening.yaml"))
    #expect(run.run == 2)
    #expect(run.batch?.origin.round == 3)
    #expect(run.batch?.origin.name == "Evening")
    #expect(run.batch?.devices == Self.members)
    #expect(try file.lastRun(ofBatch: "/srv/morning.yaml") == nil)
    #expect(try file.run(3)?.batch == nil)
  }

  @Test("devices that could not be written are written as soon as that is possible")
  func again() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = begin(in: file)
    _ = try other.write { _ in recorder.record(Self.members) }
    #expect(recorder.unwritten == 1)
    recorder.finish(.ok)
    #expect(recorder.unwritten == 0)
    #expect(try file.run(1)?.batch?.devices == Self.members)
  }

  @Test("a report on a batch has its name and the devices that did not begin")
  func reported() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.record(Self.members)
    let take = recorder.chain()
    for event in try EventScript.reading(72, device: "Lamp-1") { take(event) }
    recorder.finish(.failed)
    let runs = try #require(try file.recordedRuns(1))
    let whole = try #require(try file.recordedWhole(1, of: runs))
    #expect(whole.name == "Evening")
    #expect(whole.notRun == ["Lämp, 2 (C0:FF:EE:00:01:01)"])
    #expect(whole.identity?.description == "0123456789abcdef")
    #expect(whole.failure == nil)
    let page = HTMLReport().text(on: runs, of: whole)
    #expect(page.contains("<h1>Evening</h1>"))
    #expect(page.contains("2 devices: 1 ok, 1 not run</p>"))
    try bench.run(in: file)
    #expect(try file.recordedWhole(2, of: []) == nil)
  }

  /// Records chains of a batch, each with its device and failure, and the end of the batch.
  private func record(
    _ chains: [(device: String, failure: RunFailure?)], in file: JournalFile
  ) throws -> (runs: [RecordedRun], whole: CommandRecord, summary: RunSummary) {
    let recorder = begin(in: file)
    recorder.record(Self.members)
    for (device, failure) in chains {
      let take = recorder.chain()
      for event in try EventScript.reading(72, device: device, failure: failure) { take(event) }
    }
    recorder.finish(chains.last?.failure == nil ? .ok : .failed)
    let runs = try #require(try file.recordedRuns(1))
    return (
      runs, try #require(try file.recordedWhole(1, of: runs)), try #require(try file.run(1))
    )
  }

  @Test("a resumed batch counts each device once, with the result of its last chain")
  func resumed() throws {
    let file = try JournalFile(writing: bench.path)
    let (runs, whole, summary) = try record(
      [("Lamp-1", .lost), ("C0:FF:EE:00:01:01", nil), ("Lamp-1", nil)], in: file
    )
    #expect(runs.map(\.device) == ["Lamp-1", "C0:FF:EE:00:01:01"])
    #expect(runs.allSatisfy(\.succeeded) && whole.failure == nil)
    #expect(runs[0].attempt == 2 && runs[0].earlierFailures.map(\.code) == [.linkLost])
    let page = HTMLReport().text(on: runs, of: whole)
    #expect(page.contains("2 devices: 2 ok</p>") && !page.contains("What went wrong"))
    #expect(page.contains("Attempt 1 failed"))
    let junit = JUnitReport().text(on: runs, of: whole)
    #expect(junit.contains(#"failures="0" errors="0" time="#), "\(junit)")
    #expect(junit.contains("attempt 1 failed: reading battery-level"))
    let tap = TAPReport().text(on: runs, of: whole)
    #expect(tap.hasPrefix("TAP version 14\n1..2\n") && !tap.contains("not ok"), "\(tap)")
    #expect(summary.lastChains.map(\.status) == ["ok", "ok"])
    #expect(summary.earlierChains(of: "Lamp-1").map(\.code) == ["link-lost"])
    #expect(summary.earlierChains(of: "C0:FF:EE:00:01:01").isEmpty)
  }

  @Test("a batch that was resumed twice reports one failure for a device that never succeeded")
  func resumedInVain() throws {
    let file = try JournalFile(writing: bench.path)
    let (runs, whole, _) = try record(
      [("Lamp-1", .lost), ("C0:FF:EE:00:01:01", nil), ("Lamp-1", .lost), ("Lamp-1", .lost)],
      in: file
    )
    #expect(runs.count == 2 && runs[0].attempt == 3 && runs[0].earlierFailures.count == 2)
    let text = SummaryReport().text(on: runs, of: whole)
    #expect(text.hasPrefix("2 devices: 1 ok, 1 failed\n"), "\(text)")
    #expect(text.contains("after 3 tries\n"), "\(text)")
  }

  @Test("a chain without an end counts as an interrupted earlier attempt")
  func killed() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.record([Self.members[0]])
    let first = recorder.chain()
    for event in try EventScript.reading(72, device: "Lamp-1").prefix(2) { first(event) }
    let second = recorder.chain()
    for event in try EventScript.reading(72, device: "Lamp-1") { second(event) }
    recorder.finish(.ok)
    let runs = try #require(try file.recordedRuns(1))
    #expect(runs.count == 1 && runs[0].succeeded)
    #expect(runs[0].earlierFailures.map(\.code) == [.interrupted])
  }

  @Test(
    "a batch that fails although its devices did not has a failure of its own in a report",
    arguments: [
      (Jobs.ExitStatus.ok, nil), (.failed, "unknown"), (.interrupted(by: 15), "interrupted"),
    ]
  )
  func ended(_ status: Jobs.ExitStatus, _ code: String?) throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.record([Self.members[0]])
    let take = recorder.chain()
    for event in try EventScript.reading(72, device: "Lamp-1") { take(event) }
    recorder.finish(status)
    let runs = try #require(try file.recordedRuns(1))
    #expect(try file.recordedWhole(1, of: runs)?.failure?.code.rawValue == code)
  }

  @Test("pruning a batch removes all its records")
  func pruned() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.record(Self.members)
    recorder.finish(.ok)
    let pruned = try file.prune(Retention(from: "9999")) { _ in false }
    #expect(pruned.runs == [1])
    for table in ["batches", "batch_devices", "runs"] { #expect(try bench.count(table) == 0) }
    #expect(try file.check().problems.isEmpty)
  }
}
