// Events as rows of CSV.

import GRDB
import Jobs

/// Rows of CSV, with one measured number each.
enum ValueTable {
  static let columns = [
    "run", "chain", "device", "attempt", "step", "operation", "attribute", "time", "offset",
    "event", "status", "field", "value", "hex", "error",
  ]

  static var head: String { columns.joined(separator: ",") }

  /// The rows of an event: one for each field of a value, none for the start of a step.
  static func rows(
    of event: StoredEvent,
    _ chain: ExportedChain,
    run: Int64,
    _ database: Database
  ) throws -> [String] {
    guard event.kind != .stepStarted else { return [] }
    let before = [
      "\(run)", "\(chain.number)", chain.device, "\(event.attempt)", event.position ?? "",
      event.operation ?? "", event.attribute ?? "", event.time,
      Duration.microseconds(event.offset).decimalSeconds, event.kind.name, event.status ?? "",
    ]
    return try fields(of: event, database).map { field, value in
      line(before + [field, value, event.hex ?? "", try code(of: event, database)])
    }
  }

  /// The fields of a value or of the result of a step, each with its text.
  private static func fields(
    of event: StoredEvent,
    _ database: Database
  ) throws -> [(field: String, value: String)] {
    guard let text = event.text else { return [("", "")] }
    let value = event.kind == .stepFinished ? try part("$.value", of: text, database) : text
    guard let value else { return [("", "")] }
    // The operator -> returns a number as it was written, and a text in quotes.
    let rows = try Row.fetchAll(
      database,
      sql: """
        SELECT f.key, f.type, f.atom, ?1 -> f.fullkey
        FROM json_each(CASE json_type(?1) WHEN 'object' THEN ?1 ELSE '{}' END) f
        UNION ALL
        SELECT '', json_type(?1), json_extract(?1, '$'), ?1 WHERE json_type(?1) != 'object'
        """,
      arguments: [value]
    )
    return rows.map { row in
      let isText = row[1] as String == "text"
      let isNothing = row[1] as String == "null"
      return (row[0], isNothing ? "" : isText ? row[2] : row[3])
    }
  }

  private static func part(
    _ path: String,
    of text: String,
    _ database: Database
  ) throws -> String? {
    try String.fetchOne(database, sql: "SELECT ? -> ?", arguments: [text, path])
  }

  private static func code(of event: StoredEvent, _ database: Database) throws -> String {
    guard let error = event.error else { return "" }
    return try String.fetchOne(
      database,
      sql: "SELECT json_extract(?, '$.code')",
      arguments: [error]
    ) ?? ""
  }

  /// A line of CSV, without the line end.
  static func line(_ fields: [String]) -> String {
    fields.map(CSVCell.text).joined(separator: ",")
  }
}
