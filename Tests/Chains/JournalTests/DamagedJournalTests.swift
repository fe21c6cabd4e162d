// Damaged journals and journals of other programs: nothing in them crashes the program.

import Fixtures
import Foundation
import GRDB
import Jobs
import Signals
import Testing

@testable import Journal

@Suite("A damaged journal")
struct DamagedJournalTests {
  private let bench: JournalBench

  init() throws {
    bench = try JournalBench()
    let file = try JournalFile(writing: bench.path)
    let recorder = bench.recorder(to: file)
    recorder.begin()
    for device in ["A", "B"] {
      let hear = recorder.chain()
      for event in try EventScript.reading(72, device: device) { hear(event) }
      for event in try EventScript.reading(72, device: device, failure: .lost) { hear(event) }
    }
    recorder.finish(.failed)
    file.close()
  }

  /// Runs statements of another program.
  private func change(_ statements: String...) throws {
    for statement in statements {
      let queue = try DatabaseQueue(path: bench.path)
      try queue.writeWithoutTransaction { try $0.execute(sql: statement) }
      try queue.close()
    }
  }

  /// Changes the definitions of all tables.
  private static func definitions(_ change: String) -> String {
    "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = \(change); "
      + "PRAGMA writable_schema = OFF"
  }

  /// Tables that take any value in any column.
  private static let loose = definitions(
    "replace(replace(replace(sql, 'STRICT, WITHOUT', '/*W*/ WITHOUT'), 'STRICT', '/*S*/'), "
      + "'NOT NULL', '/*N*/')"
  )

  /// Tables as they were before.
  private static let strict = definitions(
    "replace(replace(replace(sql, '/*N*/', 'NOT NULL'), '/*S*/', 'STRICT'), "
      + "'/*W*/ WITHOUT', 'STRICT, WITHOUT')"
  )

  /// All contents that can be read.
  private func contents() throws(JournalFailure) -> [String] {
    let file = try JournalFile(reading: bench.path)
    defer { file.close() }
    var lines: [String] = []
    for run in try file.runs() {
      lines.append("\(run)")
      lines += try file.finishedDevices(of: run.run).map { "\($0)" }
      for chain in run.chains {
        lines += try file.steps(of: chain.chain, run: run.run).map { "\($0)" }
      }
      _ = try file.exportJSON(run.run) { lines.append($0) }
      _ = try file.exportCSV(run.run) { lines.append($0) }
    }
    return lines
  }

  private func check() throws(JournalFailure) -> JournalCheck {
    let file = try JournalFile(reading: bench.path)
    defer { file.close() }
    return try file.check()
  }

  @Test(
    "a value of another type, or out of its range, is an error that names its column",
    arguments: [
      ("runs", "seed", "'x'"), ("runs", "seed", "'1}'"), ("runs", "started", "'yesterday'"),
      ("runs", "simulated", "7"), ("runs", "exit_status", "9223372036854775807"),
      ("runs", "lost", "-1"), ("runs", "identity", "x'ff'"), ("runs", "command", "NULL"),
      ("chains", "started_offset", "-9223372036854775808"), ("chains", "device", "x'30'"),
      ("chains", "finished_offset", "9223372036854775807"), ("chains", "attempts", "NULL"),
      ("chains", "steps", "4611686018427387904"), ("steps", "started_offset", "1e300"),
      ("steps", "attempt", "'two'"), ("steps", "result", "'[1]'"),
      ("step_values", "time", "'2000-01-01'"), ("step_values", "value", "x'00'"),
      ("step_values", "details", "'[1]'"),
    ]
  )
  func value(table: String, column: String, value: String) throws {
    try change(Self.loose, "UPDATE \(table) SET \(column) = \(value)", Self.strict)
    let failure = #expect(throws: JournalFailure.self) { _ = try contents() }
    #expect(failure?.kind == .damaged)
    #expect(failure?.reason.isEmpty == false)
    #expect(try !check().problems.isEmpty)
  }

  @Test(
    "a file whose tables are not those of a journal is rejected",
    arguments: [
      "ALTER TABLE runs RENAME COLUMN seed TO seeds", "DROP TABLE gaps",
      "DROP INDEX chains_by_device", "ALTER TABLE steps DROP COLUMN took",
      "CREATE TRIGGER t AFTER UPDATE ON runs BEGIN DELETE FROM chains; END",
      "ALTER TABLE runs RENAME TO r; CREATE VIEW runs AS WITH RECURSIVE n(i) AS "
        + "(SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS run, r.* FROM n, r",
      "ALTER TABLE grdb_migrations RENAME TO g; CREATE VIEW GRDB_migrations AS WITH RECURSIVE n(i) "
        + "AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT g.* FROM n, g",
      "DELETE FROM grdb_migrations WHERE identifier = '2'",
      "UPDATE grdb_migrations SET identifier = x'35' WHERE identifier = '5'",
    ]
  )
  func tables(statement: String) throws {
    try change(statement)
    let failure = #expect(throws: JournalFailure.self) { _ = try contents() }
    #expect(failure?.kind == .damaged, "\(String(describing: failure))")
    #expect(throws: JournalFailure.self) { _ = try JournalFile(writing: bench.path) }
  }

  @Test("tables, views and indexes added by the user are ignored")
  func ownTables() throws {
    try change(
      "CREATE TABLE notes (x); CREATE VIEW v AS SELECT * FROM runs; "
        + "CREATE INDEX i ON steps (status)"
    )
    #expect(try check().isComplete)
  }

  @Test(
    "check reports a record that was changed",
    arguments: [
      ("UPDATE step_values SET value = '71' WHERE chain = 1", "the record 1, 1, 5 of step_values"),
      ("UPDATE chains SET status = 'ok' WHERE chain = 2", "the record 1, 2 of chains"),
      ("UPDATE runs SET exit_status = 0", "the record 1 of runs does not match its checksum"),
      ("UPDATE runs SET checksum = NULL", "the record 1 of runs has no checksum"),
      ("UPDATE steps SET checksum = NULL WHERE step = 2", "of steps has no checksum"),
      ("UPDATE sqlite_sequence SET seq = 0", "the number of the next run is already in use"),
      ("PRAGMA user_version = 3", "the version number"),
      (
        "PRAGMA foreign_keys = OFF; DELETE FROM chains WHERE chain = 2",
        "refers to a missing record"
      ),
    ]
  )
  func records(statement: String, complaint: String) throws {
    #expect(try check().isComplete)
    try change(statement)
    let found = try check()
    #expect(found.problems.contains { $0.contains(complaint) }, "\(found.problems)")
  }

  @Test("a changed byte is either reported or does not change what is read")
  func octets() throws {
    let whole = try contents()
    let octets = Array(try Data(contentsOf: URL(fileURLWithPath: bench.path)))
    var generator = SeededGenerator(seed: 1, name: "octets")
    var harmless = 0
    for _ in 0..<(testsEverything ? 400 : 100) {
      var damaged = octets
      let place = Int.random(in: damaged.indices, using: &generator)
      damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
      try bench.folder.write(damaged, to: bench.path)
      do throws(JournalFailure) {
        guard try check().isComplete else { continue }
        #expect(try contents() == whole, "octet \(place)")
        harmless += 1
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
    // Some of the bytes changed are unused, so a change there has no effect.
    if testsEverything { #expect(harmless > 0) }
  }
}
