// A table of the journal as one value: its columns, and what is made of them.
//
// JournalTables has the tables. JournalSchema has the statements that made their first columns,
// which are published and never change.

import GRDB

/// The names of a table's columns, and the statements that write and check its records.
///
/// Each record has a checksum, in the column `checksum`.
struct TableDefinition: Sendable {
  struct Column: Hashable, Sendable {
    let name: String
    /// `TEXT`, `INTEGER` or `REAL`.
    let type: String
    /// The explanation in docs/journal.md; nil for a name that needs none.
    let note: String?
    /// The version of the tables that added the column to a published table; nil for a column of
    /// the table's first version, or one of JournalSchema.
    let since: Int?
  }

  let name: String
  /// The content of a row, for docs/journal.md.
  let content: String
  /// The columns that identify a record, which come first.
  let key: [String]
  /// All columns but the checksum, in the order in which it covers them.
  let columns: [Column]
  /// The columns that SQLite computes, for docs/journal.md.
  let computed: [String]
  /// Adds a record. It takes a value for each column, and the checksum.
  let insert: String
  /// Sets the columns of the end of a record. It takes their values, and the key.
  let update: String
  /// Updates the checksum of a record. It takes the key.
  let seal: String
  /// Updates the checksum, unless the record was made before there were checksums.
  let reseal: String
  /// Selects the keys of damaged records: their checksum is wrong or missing. In a run recorded
  /// before there were checksums, it may be missing.
  let broken: String

  /// - Parameters:
  ///   - ended: The columns of the end of a record.
  ///   - isRepeatable: Whether adding a record that exists already leaves it as it is.
  fileprivate init(
    _ name: String, _ content: String, key: [Column], _ others: [Column], ended: [String],
    computed: [String], isRepeatable: Bool
  ) {
    self.name = name
    self.content = content
    self.key = key.map(\.name)
    self.computed = computed
    columns = key + others
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let places = columns.map { _ in "?, " }.joined() + "?"
    let isIt = key.map { "\($0.name) = ?" }.joined(separator: " AND ")
    let checksum = Self.checksum(of: columns, in: name)
    insert = """
      INSERT \(isRepeatable ? "OR IGNORE " : "")INTO \(name) (\(names), checksum)
      VALUES (\(places))
      """
    let set = ended.map { "\"\($0)\" = ?" }.joined(separator: ", ")
    update = "UPDATE \(name) SET \(set) WHERE \(isIt)"
    seal = "UPDATE \(name) SET checksum = \(checksum) WHERE \(isIt)"
    reseal = "\(seal) AND checksum IS NOT NULL"
    let text = "'' || " + key.map(\.name).joined(separator: " || ', ' || ")
    broken = """
      SELECT \(text) AS record, checksum IS NULL AS is_bare FROM \(name)
      WHERE checksum IS NOT \(checksum)
        AND (checksum IS NOT NULL OR run IN (SELECT run FROM runs WHERE checksum IS NOT NULL))
      LIMIT 20
      """
  }

  private static func checksum(of columns: [Column], in table: String) -> String {
    let names = columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    return "\(RecordChecksum.name)('\(table)', \(names))"
  }

  /// The statements that add the columns of a version to the table; empty without any. A record
  /// that is damaged by then stays so: only right checksums are computed anew.
  func migration(to version: Int) -> String {
    let added = columns.filter { $0.since == version }
    guard !added.isEmpty else { return "" }
    func checksum(before limit: Int) -> String {
      Self.checksum(of: columns.filter { ($0.since ?? 0) < limit }, in: name)
    }
    return added.map { "ALTER TABLE \(name) ADD COLUMN \"\($0.name)\" \($0.type);\n" }.joined()
      + """
      UPDATE \(name) SET checksum = \(checksum(before: version + 1))
      WHERE checksum = \(checksum(before: version));

      """
  }

  /// The row of the table in docs/journal.md.
  var row: String {
    let names =
      columns.map { "`\($0.name)`" + ($0.note.map { " (\($0))" } ?? "") }
      + computed.map { "`\($0)`" }
    return "| `\(name)` | \(content) | \(names.joined(separator: ", ")) |"
  }
}

/// A type that a column stores.
protocol ColumnValue: DatabaseValueConvertible, SendableMetatype {
  static var sqlType: String { get }
}

extension String: ColumnValue {
  static var sqlType: String { "TEXT" }
}
extension Int: ColumnValue {
  static var sqlType: String { "INTEGER" }
}
extension Int32: ColumnValue {
  static var sqlType: String { "INTEGER" }
}
extension Int64: ColumnValue {
  static var sqlType: String { "INTEGER" }
}
extension Double: ColumnValue {
  static var sqlType: String { "REAL" }
}

/// The run and the chain of a record.
struct RecordPlace {
  /// The number of the run; nil for a run that gets one.
  let run: Int64?
  /// The number of the chain; 0 for a record outside a chain.
  var chain = 0
}

/// A column, and where its value comes from.
struct TableColumn<Record, End>: Sendable {
  fileprivate enum Source: Sendable {
    case place(@Sendable (RecordPlace) -> DatabaseValue)
    case record(@Sendable (Record) -> DatabaseValue)
    case end(initial: @Sendable (Record) -> DatabaseValue, @Sendable (End) -> DatabaseValue)
  }

  fileprivate let column: TableDefinition.Column
  fileprivate let source: Source

  private init(_ name: String, _ type: String, _ note: String?, since: Int?, _ source: Source) {
    column = .init(name: name, type: type, note: note, since: since)
    self.source = source
  }

  /// The number of the run.
  static func run(_ note: String? = nil) -> Self {
    Self("run", Int64.sqlType, note, since: nil, .place { $0.run.storedValue })
  }

  /// The number of the chain within the run.
  static func chain(_ note: String? = nil) -> Self {
    Self("chain", Int.sqlType, note, since: nil, .place { $0.chain.databaseValue })
  }

  /// A value that is known when the record is added.
  static func column<Value: ColumnValue>(
    _ name: String, _ note: String? = nil, since: Int? = nil,
    _ value: @escaping @Sendable (Record) -> Value?
  ) -> Self {
    Self(name, Value.sqlType, note, since: since, .record { value($0).storedValue })
  }

  /// A value that is known when the record ends.
  ///
  /// - Parameter initial: The value until then.
  static func end<Value: ColumnValue>(
    _ name: String, _ note: String? = nil, since: Int? = nil,
    initial: @escaping @Sendable (Record) -> Value? = { _ in nil },
    _ value: @escaping @Sendable (End) -> Value?
  ) -> Self {
    Self(
      name, Value.sqlType, note, since: since,
      .end(initial: { initial($0).storedValue }, { value($0).storedValue })
    )
  }
}

/// A table, and how its records are written.
///
/// A column is one line in ``JournalTables``: statements, checksums, records and the page are made
/// of it. A column that is added to a published table says since which version; its migration is
/// made, too.
struct JournalTable<Record, End>: Sendable {
  let definition: TableDefinition
  private let columns: [TableColumn<Record, End>]

  init(
    _ name: String, _ content: String, key: [TableColumn<Record, End>],
    _ others: [TableColumn<Record, End>], computed: [String] = [], isRepeatable: Bool = true
  ) {
    columns = key + others
    definition = TableDefinition(
      name, content, key: key.map(\.column), others.map(\.column),
      ended: others.compactMap { column in
        if case .end = column.source { column.column.name } else { nil }
      },
      computed: computed, isRepeatable: isRepeatable
    )
  }

  /// The values of a record, in the order of the columns.
  ///
  /// - Parameter end: Its end, if it is known already.
  func values(of record: Record, at place: RecordPlace, end: End? = nil) -> [DatabaseValue] {
    columns.map { column in
      switch column.source {
      case .place(let value): value(place)
      case .record(let value): value(record)
      case .end(let initial, let value): end.map { value($0) } ?? initial(record)
      }
    }
  }

  /// The values that the end of a record sets, in the order of their columns.
  func values(of end: End) -> [DatabaseValue] {
    columns.compactMap { column in
      switch column.source {
      case .place, .record: nil
      case .end(_, let value): value(end)
      }
    }
  }
}

extension Optional where Wrapped: DatabaseValueConvertible {
  /// The value as it is stored: GRDB binds a text as a C string, which ends at the first U+0000. The
  /// checksum must not cover the rest.
  fileprivate var storedValue: DatabaseValue {
    guard let value = self?.databaseValue else { return .null }
    guard case .string(let text) = value.storage, let end = text.utf8.firstIndex(of: 0) else {
      return value
    }
    return String(text[..<end]).databaseValue
  }
}
