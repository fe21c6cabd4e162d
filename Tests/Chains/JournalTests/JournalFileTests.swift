// The journal file when things go wrong: no record is lost, and the reason is reported.

import Fixtures
import Foundation
import GRDB
import Glibc
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("The journal file")
struct JournalFileTests {
  private let bench: JournalBench

  init() throws { bench = try JournalBench() }

  private func kind(opening path: String? = nil) -> JournalFailure.Kind? {
    do {
      _ = try JournalFile(writing: path ?? bench.path)
      return nil
    } catch {
      return error.kind
    }
  }

  private func mode(_ path: String) -> UInt32 {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("a new journal and its folders are accessible to this user only")
  func modes() throws {
    let path = bench.folder.path + "/state/blerun/journal.sqlite"
    let file = try JournalFile(writing: path, sync: .full)
    try bench.run(in: file)
    #expect(mode(path) == 0o600)
    #expect(mode(path + "-wal") == 0o600)
    #expect(mode(bench.folder.path + "/state/blerun") == 0o700)
    file.close()
    #expect(access(path + "-wal", F_OK) != 0)
  }

  @Test("commits are synced to the disk only if requested")
  func sync() throws {
    for (sync, level) in [(JournalFile.Sync.normal, 1), (.full, 2)] {
      let file = try JournalFile(writing: bench.path, sync: sync)
      let (synchronous, mode) = try file.database.read { database in
        (
          try Int.fetchOne(database, sql: "PRAGMA synchronous"),
          try String.fetchOne(database, sql: "PRAGMA journal_mode")
        )
      }
      #expect(synchronous == level)
      #expect(mode == "wal")
    }
  }

  @Test("two open connections to one journal can both write")
  func two() throws {
    let (first, second) = (
      try JournalFile(writing: bench.path), try JournalFile(writing: bench.path)
    )
    try bench.run([1, 2], in: first)
    try bench.run([3], in: second)
    #expect(try first.runs().map(\.chains.count) == [1, 2])
  }

  @Test("a journal locked by another program is reported as locked after a wait")
  func locked() throws {
    let file = try JournalFile(writing: bench.path)
    file.setWait(.zero)
    let other = try JournalFile(writing: bench.path)
    let failure = try other.write { _ in
      #expect(throws: JournalFailure.self) { try file.write { _ in } }
    }
    #expect(failure?.kind == .locked)
    try bench.run(in: file)
  }

  @Test(
    "a full disk loses no committed record, and the rest is written when there is room again"
  )
  func full() throws {
    let file = try JournalFile(writing: bench.path)
    let before = try #require(try bench.run(in: file))
    let pages = try file.database.writeWithoutTransaction { database in
      let pages = try #require(try Int.fetchOne(database, sql: "PRAGMA page_count"))
      try database.execute(sql: "PRAGMA max_page_count = \(pages + 1)")
      return pages
    }
    let recorder = bench.recorder(to: file)
    var (hear, script) = try bench.listening(recorder, values: 2000)
    script.finish(1)
    if let end = script.events.last { hear(end) }
    #expect(bench.failures.all.map(\.kind) == [.full])
    #expect(recorder.unwritten > 1000)
    #expect(try file.run(before)?.chains.first?.values == 1)
    #expect(try file.check().problems.isEmpty)
    try file.database.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA max_page_count = \(pages + 1000)")
    }
    recorder.finish(.ok)
    #expect(recorder.unwritten == 0)
    #expect(try bench.count("step_values") == 2001)
  }

  @Test("a file that is not a journal is left unchanged")
  func foreign() throws {
    let text = try bench.folder.file("notes.txt", String(repeating: "not a database\n", count: 99))
    #expect(kind(opening: text) == .notAJournal)
    let path = bench.folder.path + "/other.sqlite"
    let other = try DatabaseQueue(path: path)
    try other.write { try $0.execute(sql: "CREATE TABLE mine (x)") }
    try other.close()
    #expect(kind(opening: path) == .notAJournal)
    let again = try DatabaseQueue(path: path)
    let tables = try again.read { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") }
    #expect(tables == ["mine"])
  }

  @Test("opening an empty or missing file for reading does not create a journal")
  func unfilled() throws {
    let empty = try bench.folder.file("empty.sqlite", "")
    let files: [(path: String, kind: JournalFailure.Kind)] = [
      (empty, .empty), (bench.folder.path, .notAJournal), (bench.folder.path + "/none", .missing),
    ]
    for file in files {
      let reading = #expect(throws: JournalFailure.self) { _ = try JournalFile(reading: file.path) }
      let existing = #expect(throws: JournalFailure.self) {
        _ = try JournalFile(existing: file.path)
      }
      #expect(reading?.kind == file.kind && existing?.kind == file.kind)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: bench.folder.path) == ["empty.sqlite"]
    )
    #expect(try String(contentsOfFile: empty, encoding: .utf8).isEmpty)
  }

  @Test("damaged pages are found and reported as damage")
  func damaged() throws {
    let file = try JournalFile(writing: bench.path)
    for _ in 0..<40 { try bench.run([1, 2, 3], in: file) }
    #expect(try file.check().problems.isEmpty)
    file.close()
    let octets = [UInt8](repeating: 0xa5, count: 4096)
    for page in 4..<12 { try bench.folder.write(octets, to: bench.path, at: page * 4096) }
    let damaged = try JournalFile(reading: bench.path)
    let complaints: [String]
    do throws(JournalFailure) {
      complaints = try damaged.check().problems
    } catch {
      complaints = error.kind == .damaged ? ["\(error)"] : []
    }
    #expect(!complaints.isEmpty)
  }

  @Test("a truncated file is reported as damaged and not written to")
  func truncated() throws {
    let file = try JournalFile(writing: bench.path)
    for _ in 0..<40 { try bench.run([1, 2, 3], in: file) }
    file.close()
    #expect(truncate(bench.path, 3 * 4096 + 100) == 0)
    do throws(JournalFailure) {
      let file = try JournalFile(writing: bench.path)
      bench.recorder(to: file).begin()
      #expect(bench.failures.all.map(\.kind) == [.damaged])
      _ = try file.runs()
      Issue.record("all runs could be read")
    } catch {
      #expect(error.kind == .damaged, "\(error)")
    }
  }

  @Test("a journal of a later version is not changed")
  func newer() throws {
    let file = try JournalFile(writing: bench.path)
    try bench.run(in: file)
    try file.database.write { database in
      try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('99')")
      try database.execute(sql: "PRAGMA user_version = 99")
    }
    file.close()
    let failure = #expect(throws: JournalFailure.self) { _ = try JournalFile(writing: bench.path) }
    #expect(failure?.kind == .newer)
    #expect(failure?.reason.contains("99") == true)
    #expect(throws: JournalFailure.self) { _ = try JournalFile(reading: bench.path) }
  }

  @Test("a journal of an earlier version is migrated with its contents")
  func older() throws {
    let queue = try DatabaseQueue(path: bench.path)
    try queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA application_id = \(JournalSchema.applicationID)")
    }
    try JournalSchema.migrator.migrate(queue, upTo: "1")
    let time = "2000-01-01T00:00:00.000000Z"
    try queue.write { database in
      try database.execute(
        sql: """
          INSERT INTO runs (identity, command, definition, seed, simulated, version, started)
            VALUES ('0123456789abcdef', 'run', 'read battery-level', '7', 0, '0.1.0', '\(time)');
          INSERT INTO chains (run, chain, device, identity, seed, steps, started, started_offset)
            VALUES (1, 1, 'Thermo-1', '0123456789abcdef', '7', 1, '\(time)', 0);
          INSERT INTO step_values VALUES (1, 1, 2, 1, '\(time)', 0, '72', '48');
          """
      )
    }
    try queue.close()
    // Opening it for reading is enough to migrate it.
    let file = try JournalFile(reading: bench.path)
    #expect(try file.runs().first?.chains.first?.values == 1)
    #expect(try bench.count("sqlite_master WHERE name = 'chains_by_device'") == 1)
    try bench.run(in: try JournalFile(writing: bench.path))
    #expect(try file.runs(of: "Thermo-1").count == 2)
    #expect(try file.check() == JournalCheck(problems: [], unchecked: [1]))
  }
}
