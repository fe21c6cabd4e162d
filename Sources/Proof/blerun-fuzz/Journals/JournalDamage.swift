// Damages a journal: its bytes, or by SQL statements its values and tables.

import GRDB
import Signals

enum JournalDamage: CaseIterable {
  case bits, octets, zeroes, cut, longer, pages
  case value, type, rows
  case definition, column, view, trigger, table, version

  /// The kinds that change bytes.
  static let ofOctets: [JournalDamage] = [.bits, .octets, .zeroes, .cut, .longer, .pages]

  private static let pageSize = 4096

  private static let tables: [(name: String, columns: [String])] = [
    (
      "runs",
      [
        "run", "identity", "command", "definition", "seed", "simulated", "owner", "version",
        "started", "finished", "exit_status", "lost", "checksum",
      ]
    ),
    (
      "chains",
      [
        "run", "chain", "device", "name", "seed", "steps", "started", "started_offset", "finished",
        "finished_offset", "finished_event", "status", "exit_status", "attempts", "done",
      ]
    ),
    (
      "steps",
      [
        "step", "attempt", "position", "operation", "attribute", "written", "started",
        "started_offset", "started_event", "finished_offset", "finished_event", "took", "status",
        "result",
      ]
    ),
    ("step_values", ["event", "step", "time", "\"offset\"", "value", "hex", "details"]),
    ("errors", ["event", "step", "error"]), ("gaps", ["event", "time", "gap"]),
    ("batches", ["run", "file", "name", "digest", "round"]),
    ("batch_devices", ["place", "device", "name"]), ("sqlite_sequence", ["seq"]),
    ("grdb_migrations", ["identifier"]),
  ]

  private static let values = [
    "NULL", "0", "-1", "1", "255", "256", "2147483648", "9223372036854775807",
    "-9223372036854775808", "4611686018427387904", "1e300", "-1e300", "0.5", "''", "'x'", "'1'",
    "'-1'", "'18446744073709551616'", "x''", "x'ff00c3'", "CAST(x'ffc3' AS TEXT)", "'{}'", "'[]'",
    "'{\"value\":'", "'{\"value\":{\"a\":[1,{}]}}'", "'{\"code\":1,\"class\":[]}'", "'\"'",
    "'{}' || char(10) || '{}'", "'\"' || char(8238) || '\"'", "'null'", "'1e999'",
    "'2000-01-01T00:00:00.000000Z'", "'2000-13-99'", "char(27) || ']52;c;YQ==' || char(7)",
    "replace(hex(zeroblob(5000)), '0', '[')", "hex(zeroblob(20000))",
  ]

  /// Damages the bytes of the file and of its `-wal` file.
  func apply(to file: inout [UInt8], _ generator: inout SeededGenerator) {
    guard !file.isEmpty else { return }
    let place = Int.random(in: 0..<file.count, using: &generator)
    switch self {
    case .bits: file[place] ^= 1 << generator.pick([0, 1, 2, 3, 4, 5, 6, 7] as [UInt8])
    case .octets:
      for index in place..<min(file.count, place + generator.pick([1, 1, 2, 4, 16, 100])) {
        file[index] = UInt8.random(in: 0...255, using: &generator)
      }
    case .zeroes:
      for index in place..<min(file.count, place + generator.pick([1, 8, 512, 4096])) {
        file[index] = 0
      }
    case .cut: file.removeSubrange(place...)
    case .longer: file += file.prefix(place)
    case .pages:
      let pages = max(1, file.count / Self.pageSize)
      let (from, to) = (
        Int.random(in: 0..<pages, using: &generator), Int.random(in: 0..<pages, using: &generator)
      )
      let page = file[min(file.count, from * Self.pageSize)...].prefix(Self.pageSize)
      let target = to * Self.pageSize
      file.replaceSubrange(target..<min(file.count, target + page.count), with: page)
    case .value, .type, .rows, .definition, .column, .view, .trigger, .table, .version: break
    }
  }

  /// The statements that damage values or tables; none if the kind changes bytes.
  func statements(_ generator: inout SeededGenerator) -> [String] {
    let (table, columns) = generator.pick(Self.tables)
    let (column, value) = (generator.pick(columns), generator.pick(Self.values))
    let number = Int.random(in: 0...6, using: &generator)
    switch self {
    case .bits, .octets, .zeroes, .cut, .longer, .pages: return []
    case .value, .type:
      let some = generator.hits(1, in: 2) ? "" : " WHERE \(columns[0]) = \(number)"
      return ["UPDATE OR REPLACE \(table) SET \(column) = \(value)\(some)"]
    case .rows: return ["DELETE FROM \(table) WHERE \(columns[0]) = \(number)"]
    case .definition:
      return Self.schema("UPDATE sqlite_master SET sql = replace(sql, 'INTEGER', 'TEXT')")
    case .column: return ["ALTER TABLE \(table) RENAME COLUMN \(column) TO renamed"]
    case .view:
      return [
        "ALTER TABLE \(table) RENAME TO former",
        "CREATE VIEW \(table) AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
          + "SELECT n.i AS run, f.* FROM n, former f",
      ]
    case .trigger:
      return [
        "CREATE TRIGGER hostile AFTER UPDATE ON runs BEGIN DELETE FROM chains; END"
      ]
    case .table: return ["DROP TABLE \(table)"]
    case .version:
      return [
        "PRAGMA user_version = \(number)",
        generator.hits(1, in: 2)
          ? "DELETE FROM grdb_migrations WHERE identifier = '\(number)'"
          : "PRAGMA application_id = \(number)",
      ]
    }
  }

  /// True if the statements require tables that accept values of any type.
  var needsLooseTables: Bool { self == .type }

  /// Makes the tables accept values of any type, until `tightening` runs.
  static let loosening = schema(
    "UPDATE sqlite_master SET sql = "
      + "replace(replace(sql, 'STRICT, WITHOUT', '/*W*/ WITHOUT'), 'STRICT', '/*S*/')"
  )
  static let tightening = schema(
    "UPDATE sqlite_master SET sql = "
      + "replace(replace(sql, '/*S*/', 'STRICT'), '/*W*/ WITHOUT', 'STRICT, WITHOUT')"
  )

  private static func schema(_ statement: String) -> [String] {
    ["PRAGMA writable_schema = ON", statement, "PRAGMA writable_schema = OFF"]
  }
}
