// Records that are dropped while a journal cannot be written, and how they are counted.

import Fixtures
import GRDB
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("Records that a journal could not keep")
struct LostRecordsTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  private static let moment = Moment(event: 1, time: "", offset: 0)

  private static func start(_ step: Int) -> JournalRecord {
    .stepStarted(
      JournalRecord.StepStart(
        step: step, moment: moment, attempt: 1, position: "1", operation: "log"
      )
    )
  }

  private static func end(_ step: Int) -> JournalRecord {
    .stepFinished(JournalRecord.StepEnd(step: step, moment: moment, took: 1, status: "ok"))
  }

  private static func value(_ step: Int) -> JournalRecord {
    .value(JournalRecord.StoredValue(step: step, moment: moment, value: "1"))
  }

  private static let chainStart = JournalRecord.chainStarted(
    JournalRecord.ChainStart(moment: moment, device: "A", identity: "", seed: "0", steps: 1)
  )

  private static let chainEnd = JournalRecord.chainFinished(
    JournalRecord.ChainEnd(moment: moment, status: "ok", exitStatus: 0, attempts: 1, done: 1)
  )

  @Test("dropping the start of a step drops its later records, but chains are kept")
  func whole() {
    var batch = RecordBatch()
    _ = batch.add(Self.start(1), chain: 1, at: .zero)
    for _ in 1..<RecordBatch.mostUnwritten { _ = batch.add(Self.value(1), chain: 1, at: .zero) }
    #expect(batch.lost == 0)
    _ = batch.add(Self.start(2), chain: 1, at: .zero)
    _ = batch.add(Self.chainStart, chain: 2, at: .zero)
    #expect(batch.lost == 1)
    #expect(batch.entries.count == RecordBatch.mostUnwritten + 1)
    batch.written(batch.entries.count)
    for record in [Self.value(2), Self.value(1), Self.end(2), Self.end(1), Self.start(2)] {
      _ = batch.add(record, chain: 1, at: .zero)
    }
    // The value and the end of the step whose start was dropped.
    #expect(batch.lost == 3)
    #expect(batch.entries.map(\.record) == [Self.value(1), Self.end(1), Self.start(2)])
    // The step starts again, and so does one of another chain.
    _ = batch.add(Self.end(2), chain: 1, at: .zero)
    _ = batch.add(Self.chainEnd, chain: 2, at: .zero)
    #expect(batch.lost == 3)
    #expect(batch.entries.count == 5)
  }

  @Test("dropped records are counted in the run when writing succeeds again")
  func noted() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = bench.recorder(to: file)
    let (hear, script) = try bench.listening(recorder)
    var next = script
    let value = next.value([1], in: 1)
    _ = try other.write { _ in
      for _ in 0..<RecordBatch.mostUnwritten + 400 { hear(value) }
    }
    // Records already written or still waiting are not lost.
    #expect(recorder.lost > 0)
    #expect(recorder.failure?.kind == .locked)
    recorder.finish(.ok)
    let lost = recorder.lost
    #expect(recorder.failure == nil && recorder.unwritten == lost)
    let run = try #require(try file.runs().first)
    #expect(run.lost == lost)
    #expect(run.exitStatus == 0)
    let kept = try bench.count("step_values") + bench.count("steps")
    #expect(kept == RecordBatch.mostUnwritten + 401 - lost)
    #expect(try file.incompleteRuns().map(\.run) == [run.run])
  }

  @Test("lost records are counted once when a commit is repeated, and added when a run is resumed")
  func notedTwice() throws {
    let file = try JournalFile(writing: bench.path)
    bench.recorder(to: file).begin()
    for _ in 0..<2 { try file.write { try $0.note(lost: 5, of: 1) } }
    #expect(try file.runs().map(\.lost) == [5])
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let takeover = RunTakeover(
      former: nil, owner: "2 2 boot", version: "0.2.0", started: .seconds(946_684_900)
    )
    let recorder = try RunRecorder(resuming: 1, takeover, in: file, on: bench.loop) { _ in }
    let (hear, script) = try bench.listening(recorder)
    var next = script
    let value = next.value([1], in: 1)
    _ = try other.write { _ in
      for _ in 0..<RecordBatch.mostUnwritten + 400 { hear(value) }
    }
    recorder.finish(.ok)
    #expect(recorder.failure == nil && recorder.lost > 0)
    #expect(try file.runs().map(\.lost) == [5 + recorder.lost])
    #expect(try file.check().problems == [])
  }

  @Test("a run whose records were all written has lost none")
  func complete() throws {
    let file = try JournalFile(writing: bench.path)
    try bench.run(in: file)
    #expect(try file.runs().first?.lost == 0)
    #expect(try file.incompleteRuns().isEmpty)
  }

  @Test("after a failed write, the ends of steps wait until the pause is over")
  func pause() throws {
    let file = try JournalFile(writing: bench.path)
    let other = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    let hear = recorder.chain()
    let events = try EventScript.reading(72)
    _ = try other.write { _ in hear(events[0]) }
    for event in events.dropFirst() { hear(event) }
    #expect(try bench.count("chains") == 0)
    #expect(recorder.unwritten == events.count)
    let loop = bench.loop
    try loop.run { try await loop.sleep(for: .milliseconds(999)) }
    #expect(try bench.count("chains") == 0)
    try loop.run { try await loop.sleep(for: .milliseconds(1)) }
    #expect(try bench.count("steps WHERE status = 'ok'") == 2)
    #expect(recorder.unwritten == 0)
    // From here on, each step is written when it ends.
    let again = recorder.chain()
    for event in events { again(event) }
    #expect(try bench.count("steps WHERE status = 'ok'") == 4)
  }

  @Test("the records that fit on a full disk are written and kept")
  func pieces() throws {
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    var (hear, script) = try bench.listening(recorder)
    let pages = try file.database.writeWithoutTransaction { database in
      let pages = try #require(try Int.fetchOne(database, sql: "PRAGMA page_count"))
      try database.execute(sql: "PRAGMA max_page_count = \(pages)")
      return pages
    }
    for _ in 0..<4000 { hear(script.value([1], in: 1)) }
    let waiting = recorder.unwritten
    #expect(waiting > 3000)
    try file.database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA max_page_count = \(pages + 45)")
    }
    recorder.finish(.ok)
    #expect(recorder.failure?.kind == .full)
    #expect(recorder.unwritten < waiting && recorder.unwritten % 1000 == waiting % 1000)
    #expect(try bench.count("step_values") > 900)
    #expect(try file.check().problems.isEmpty)
  }
}
