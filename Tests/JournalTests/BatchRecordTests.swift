// Which batch a run is of, and which devices it is for.

import Fixtures
import Jobs
import Testing

@testable import Journal

@Suite("A batch in the journal")
struct BatchRecordTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  private static let origin = BatchOrigin(
    file: "/srv/evening.yaml",
    name: "Evening",
    digest: "0123",
    round: 2
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
