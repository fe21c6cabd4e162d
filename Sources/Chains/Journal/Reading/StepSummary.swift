// Summaries of steps.

import Documents
import GRDB

/// A step as a journal stores it.
public struct StepSummary: Hashable, Sendable {
  public let attempt: Int
  /// `3`, `4[7].2`, `connect`.
  public let position: String
  /// The name that the author of the chain gave it.
  public let name: String?
  public let operation: String
  public let attribute: String?
  /// Microseconds since the start of the chain's run.
  public let offset: Int64
  /// `ok`, `warning`, `failed`, `cancelled` or `skipped`; nil without a recorded end.
  public let status: String?
  /// The result, a JSON object with the keys of docs/json.md, without its presentation and without
  /// the notes that repeat why the step or one of its tries failed.
  public let result: String?
  /// The code and the message of the failure.
  public let code: String?
  public let message: String?
  /// The number of its values.
  public let values: Int
}

extension JournalFile {
  /// The steps of a chain in the order in which they began.
  ///
  /// - Throws: ``JournalFailure``.
  public func steps(of chain: Int, run: Int64) throws(JournalFailure) -> [StepSummary] {
    try read { database in
      let rows = try database.rows(
        """
        SELECT s.attempt, s.position, s.operation, s.attribute, s.started_offset, s.status,
          json_remove(s.result, '$.name', '$.title', '$.stream') AS result,
          e.error ->> 'why' AS why, coalesce(s.result ->> 'name', s.result ->> 'title') AS label,
          e.code, e.message,
          (SELECT count(*) FROM step_values v
           WHERE v.run = s.run AND v.chain = s.chain AND v.step = s.step
             AND v.event BETWEEN s.started_event AND coalesce(s.finished_event, 1 << 62)) AS kept
        FROM steps s LEFT JOIN errors e
          ON e.run = s.run AND e.chain = s.chain AND e.event = s.finished_event
        WHERE s.run = ? AND s.chain = ? ORDER BY s.step
        """,
        [run, chain]
      )
      return try rows.map { row in
        StepSummary(
          attempt: try row.ordinal("attempt"), position: try row.text("position"),
          name: try row.optionalText("label"), operation: try row.text("operation"),
          attribute: try row.optionalText("attribute"), offset: try row.offset("started_offset"),
          status: try row.optionalText("status"),
          result: Self.text(of: try row.jsonObject("result"), without: try row.optionalText("why")),
          code: try row.optionalText("code"), message: try row.optionalText("message"),
          values: try row.ordinal("kept")
        )
      }
    }
  }

  /// The result that a step recorded, without its presentation and without the notes that repeat the
  /// reason of its failure or of a failed try; nil if nothing else is left.
  private static func text(of result: JSONValue?, without reason: String?) -> String? {
    guard case .object(let members)? = result else { return nil }
    let tries = result?["tries"]?.elements ?? []
    let reasons = tries.compactMap { $0["why"]?.string } + [reason].compactMap(\.self)
    let rest = members.filter { $0.key != "presentation" }.compactMap {
      member -> JSONValue.Member? in
      guard member.key == "notes" else { return member }
      let others = member.value.elements.filter { note in
        !reasons.contains { note.string?.hasSuffix($0) == true }
      }
      return others.isEmpty ? nil : .init(member.key, .array(others))
    }
    return rest.isEmpty ? nil : JSONValue.object(rest).text
  }
}
