// Events as rows of CSV.

import GRDB
import Jobs

/// Rows of CSV, with one measured number each.
enum ValueTable {
  static let columns = [
    "run", "chain", "device", "attempt", "step", "operation", "attribute", "time", "offset",
    "event", "status", "field", "value", "hex", "error", "name",
  ]

  static var head: String { columns.joined(separator: ",") }

  /// The rows of an event: one for each field of a value, none for the start of a step and for notes.
  static func rows(
    of event: StoredEvent,
    _ chain: ExportedChain,
    run: Int64,
    _ database: Database
  ) throws -> [String] {
    switch event.kind {
    case .stepStarted, .note: return []
    case .runStarted, .value, .gap, .stepFinished, .runFinished, .unknown: break
    }
    let before = [
      "\(run)", "\(chain.number)", chain.device, "\(event.attempt)", event.position ?? "",
      event.operation ?? "", event.attribute ?? "", event.time,
      Duration.microseconds(event.offset).decimalSeconds, event.kind.name, event.status ?? "",
    ]
    return try fields(of: event, database).map { field, value in
      let after = [event.hex ?? "", try code(of: event, database), chain.deviceName ?? ""]
      return CSVCell.line(before + [field, value] + after)
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
    let rows = try database.rows(
      """
      SELECT f.key, f.type, CAST(f.atom AS TEXT) AS atom, ?1 -> f.fullkey AS json
      FROM json_each(CASE json_type(?1) WHEN 'object' THEN ?1 ELSE '{}' END) f
      UNION ALL
      SELECT '', json_type(?1), CAST(json_extract(?1, '$') AS TEXT), ?1
      WHERE json_type(?1) != 'object'
      """,
      [value]
    )
    return try rows.map { row in
      let field = try row.text("key")
      switch try row.text("type") {
      case "null": return (field, "")
      case "text": return (field, try row.text("atom"))
      default: return (field, try row.text("json"))
      }
    }
  }

  private static func part(
    _ path: String,
    of text: String,
    _ database: Database
  ) throws -> String? {
    try database.row("SELECT ? -> ? AS part", [text, path])?.optionalText("part")
  }

  private static func code(of event: StoredEvent, _ database: Database) throws -> String {
    guard let error = event.error else { return "" }
    let sql = "SELECT CAST(json_extract(?, '$.code') AS TEXT) AS code"
    return try database.row(sql, [error])?.optionalText("code") ?? ""
  }
}
