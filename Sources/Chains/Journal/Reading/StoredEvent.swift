// Reading the events of a chain one by one.

import Documents
import GRDB
import RunEvents

/// One event of a chain, as it was recorded.
struct StoredEvent: Equatable, Sendable {
  let kind: EventLine.Name
  let event: Int
  let time: String
  /// Microseconds.
  let offset: Int64
  let attempt: Int
  let position: String?
  /// The name that the author of the chain gave the step.
  let name: String?
  let operation: String?
  let attribute: String?
  let written: String?
  /// Whether the step has many values although its operation alone does not tell it.
  let isUnusualStream: Bool
  let status: String?
  /// The value; for other events, an object with further keys.
  let json: JSONValue?
  let hex: String?
  /// The further members of a value, as an object; nil for none and for other events.
  let details: JSONValue?
  let error: JSONValue?
}

extension StoredEvent {
  init(_ row: StoredRow) throws(StoredRow.Unexpected) {
    kind = try row.event("kind")
    event = try row.ordinal("event")
    time = try row.time("time")
    offset = try row.offset("moment")
    attempt = try row.ordinal("attempt")
    position = try row.optionalText("position")
    name = try row.optionalText("label")
    operation = try row.optionalText("operation")
    attribute = try row.optionalText("attribute")
    written = try row.optionalText("written")
    isUnusualStream = try row.boolean("stream")
    status = try row.optionalText("status")
    json = kind == .value ? try row.json("json") : try row.jsonObject("json")
    hex = try row.optionalText("hex")
    details = try row.jsonObject("details")
    error = try row.jsonObject("error")
  }

  /// The steps, values and gaps of a chain, in the order in which they happened, without the start
  /// and end of the chain.
  ///
  /// Memory use does not grow with their number.
  static func cursor(
    of chain: Int, run: Int64, in database: Database
  ) throws -> MapCursor<RowCursor, StoredEvent> {
    try Row.fetchCursor(database, sql: query, arguments: [run, chain])
      .map { try StoredEvent(StoredRow($0)) }
  }

  /// The keys of a step that have no column. Now its result has them from the start; earlier
  /// versions wrote only the name, at the end, as a title.
  private static let head = """
    coalesce(result ->> 'name', result ->> 'title') AS label,
      coalesce(result ->> 'stream', 0) AS stream
    """

  private static let query = """
    SELECT 'step-started' AS kind, started_event AS event, started AS time,
      started_offset AS moment, attempt, position, operation, attribute, written, NULL AS status,
      NULL AS json, NULL AS hex, NULL AS details, NULL AS error, \(head)
    FROM steps WHERE run = ?1 AND chain = ?2
    UNION ALL
    SELECT 'step-finished', s.finished_event, finished, finished_offset, attempt, position,
      operation, attribute, written, status, json_remove(result, '$.name', '$.title', '$.stream'),
      NULL, NULL, json(e.error), \(head)
    FROM steps s LEFT JOIN errors e
      ON e.run = s.run AND e.chain = s.chain AND e.event = s.finished_event
    WHERE s.run = ?1 AND s.chain = ?2 AND s.status IS NOT NULL
    UNION ALL
    SELECT 'value', v.event, time, "offset", attempt, position, operation, attribute, written,
      NULL, json(value), hex, json(details), NULL, \(head)
    FROM step_values v JOIN steps s USING (run, chain, step) WHERE run = ?1 AND chain = ?2
    UNION ALL
    SELECT 'gap', g.event, time, "offset", attempt, position, operation, attribute, written,
      NULL, json(gap), NULL, NULL, NULL, \(head)
    FROM gaps g JOIN steps s USING (run, chain, step) WHERE run = ?1 AND chain = ?2
    UNION ALL
    SELECT kind, event, time, "offset", attempt, NULL, NULL, NULL, NULL,
      NULL, json(remark), NULL, NULL, NULL, NULL, 0
    FROM remarks WHERE run = ?1 AND chain = ?2 AND kind = 'note'
    ORDER BY 2
    """
}
