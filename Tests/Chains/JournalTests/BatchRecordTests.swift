// Which batch a run is of, and which devices it is for.

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

  @Test("is found by its file, the latest first, with its devices in their order")
  func found() throws {
    let file = try JournalFile(writing: bench.path)
    begin(in: file).finish(.ok)
    let recorder = begin(in: file, round: 3)
    recorder.take(Self.members)
    try bench.run(in: file)
    let run = try #require(try file.lastRun(ofBatch: "/srv/evening.yaml"))
    #expect(run.run == 2)
    #expect(run.batch?.origin.round == 3)
    #expect(run.batch?.origin.name == "Evening")
    #expect(run.batch?.devices == Self.members)
    #expect(try file.lastRun(ofBatch: "/srv/morning.yaml") == nil)
    #expect(try file.run(3)?.batch == nil)
  }

  @Test("whose devices could not be written has them once they can be")
  func again() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = begin(in: file)
    _ = try other.write { _ in recorder.take(Self.members) }
    #expect(recorder.unwritten == 1)
    recorder.finish(.ok)
    #expect(recorder.unwritten == 0)
    #expect(try file.run(1)?.batch?.devices == Self.members)
  }

  @Test("is in a report with its name, and with the devices that did not begin")
  func reported() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.take(Self.members)
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

  @Test(
    "that ended in a way that no device shows has a failure of its own in a report",
    arguments: [
      (Jobs.ExitStatus.ok, nil), (.failed, "unknown"), (.interrupted(by: 15), "interrupted"),
    ]
  )
  func ended(_ status: Jobs.ExitStatus, _ code: String?) throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.take([Self.members[0]])
    let take = recorder.chain()
    for event in try EventScript.reading(72, device: "Lamp-1") { take(event) }
    recorder.finish(status)
    let runs = try #require(try file.recordedRuns(1))
    #expect(try file.recordedWhole(1, of: runs)?.failure?.code.rawValue == code)
  }

  @Test("goes whole when it is taken out")
  func pruned() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = begin(in: file)
    recorder.take(Self.members)
    recorder.finish(.ok)
    let pruned = try file.prune(Retention(from: "9999")) { _ in false }
    #expect(pruned.runs == [1])
    for table in ["batches", "batch_devices", "runs"] { #expect(try bench.count(table) == 0) }
    #expect(try file.check().complaints.isEmpty)
  }
}
