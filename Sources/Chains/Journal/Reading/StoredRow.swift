// A row of the journal, each value checked as it is read.
//
// The only place that reads values of rows: a journal may be damaged, or made by another program.

import Documents
import GRDB
import RunEvents

/// A row whose columns are read by name, with the type and the range that the reader expects.
///
/// Every function throws ``JournalFailure`` of the kind `damaged`, which names the column, when the
/// column is missing or its value is not as expected.
struct StoredRow {
  /// A value that a journal cannot have in this column.
  struct Unexpected: Error, CustomStringConvertible {
    let column: String
    let expected: String

    var description: String { "the column \(column) has something else than \(expected)" }
  }

  /// Times and durations in microseconds: some 30 000 years either way, so that sums do not
  /// overflow.
  static let microseconds: ClosedRange<Int64> =
    -1_000_000_000_000_000_000...1_000_000_000_000_000_000
  /// Numbers of events, steps and chains, and counts: more than any file can hold.
  static let ordinals: ClosedRange<Int64> = 0...1 << 48

  private let row: Row

  init(_ row: Row) { self.row = row }

  private func value(_ column: String) throws(Unexpected) -> DatabaseValue {
    guard row.hasColumn(column) else {
      throw Unexpected(column: column, expected: "a value")
    }
    return row[column]
  }

  // MARK: Integers

  /// A number in a range; nil for none.
  func optionalInteger(
    _ column: String, in range: ClosedRange<Int64> = .min ... .max
  ) throws(Unexpected) -> Int64? {
    let value = try value(column)
    if value.isNull { return nil }
    guard case .int64(let number) = value.storage, range.contains(number) else {
      throw Unexpected(
        column: column, expected: "a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    return number
  }

  /// A number in a range.
  func integer(
    _ column: String, in range: ClosedRange<Int64> = .min ... .max
  ) throws(Unexpected) -> Int64 {
    guard let number = try optionalInteger(column, in: range) else {
      throw Unexpected(column: column, expected: "a number")
    }
    return number
  }

  /// A count, or the number of an event, a step or a chain.
  func ordinal(_ column: String) throws(Unexpected) -> Int {
    Int(try integer(column, in: Self.ordinals))
  }

  func boolean(_ column: String) throws(Unexpected) -> Bool { try integer(column, in: 0...1) == 1 }

  /// An exit status; nil for none.
  func exitStatus(_ column: String) throws(Unexpected) -> Int32? {
    try optionalInteger(column, in: 0...255).map { Int32($0) }
  }

  /// Microseconds since the start of a chain.
  func offset(_ column: String) throws(Unexpected) -> Int64 {
    try integer(column, in: Self.microseconds)
  }

  // MARK: Numbers

  /// A number, whole or not.
  func number(_ column: String) throws(Unexpected) -> Double {
    switch try value(column).storage {
    case .int64(let number): return Double(number)
    case .double(let number) where number.isFinite: return number
    case .double, .string, .blob, .null: throw Unexpected(column: column, expected: "a number")
    }
  }

  // MARK: Texts

  /// A text; nil for none.
  func optionalText(_ column: String) throws(Unexpected) -> String? {
    let value = try value(column)
    if value.isNull { return nil }
    guard case .string(let text) = value.storage else {
      throw Unexpected(column: column, expected: "a text")
    }
    return text
  }

  func text(_ column: String) throws(Unexpected) -> String {
    guard let text = try optionalText(column) else {
      throw Unexpected(column: column, expected: "a text")
    }
    return text
  }

  /// A time; nil for none.
  func optionalTime(_ column: String) throws(Unexpected) -> String? {
    guard let text = try optionalText(column) else { return nil }
    guard Timestamp.isTime(text) else {
      throw Unexpected(column: column, expected: "a time in RFC 3339")
    }
    return text
  }

  func time(_ column: String) throws(Unexpected) -> String {
    guard let text = try optionalTime(column) else {
      throw Unexpected(column: column, expected: "a time")
    }
    return text
  }

  /// A seed: a number of 64 bits in decimal digits.
  func seed(_ column: String) throws(Unexpected) -> String {
    let text = try text(column)
    guard let seed = UInt64(text), "\(seed)" == text else {
      throw Unexpected(column: column, expected: "a seed")
    }
    return text
  }

  /// The name of an event of a chain.
  func event(_ column: String) throws(Unexpected) -> EventLine.Name {
    guard let name = EventLine.Name(rawValue: try text(column)) else {
      throw Unexpected(column: column, expected: "the name of an event")
    }
    return name
  }

  /// JSON; nil for none.
  func json(_ column: String) throws(Unexpected) -> JSONValue? {
    guard let text = try optionalText(column) else { return nil }
    guard let json = try? JSONValue(parsing: text) else {
      throw Unexpected(column: column, expected: "JSON")
    }
    return json
  }

  /// A JSON object; nil for none.
  func jsonObject(_ column: String) throws(Unexpected) -> JSONValue? {
    guard let json = try json(column) else { return nil }
    guard case .object = json else { throw Unexpected(column: column, expected: "a JSON object") }
    return json
  }
}

extension Database {
  /// The rows of a query, to be read with checks.
  func rows(_ sql: String, _ arguments: StatementArguments = []) throws -> [StoredRow] {
    try Row.fetchAll(self, sql: sql, arguments: arguments).map { StoredRow($0) }
  }

  /// The first row of a query; nil for none.
  func row(_ sql: String, _ arguments: StatementArguments = []) throws -> StoredRow? {
    try Row.fetchOne(self, sql: sql, arguments: arguments).map { StoredRow($0) }
  }
}
