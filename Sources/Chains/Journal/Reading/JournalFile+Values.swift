// Finding values by device, characteristic and time.

import GRDB
import Glibc
import RunEvents

/// The values to find.
public struct ValueQuery: Hashable, Sendable {
  /// The device, as its runs named it.
  public var device: String
  /// The characteristic, as its steps named it.
  public var attribute: String
  /// The field; nil for all.
  public var field: String?
  /// Values from this time on, since 1970-01-01T00:00:00Z.
  public var from: Duration
  /// Values before this time.
  public var to: Duration

  public init(
    device: String, attribute: String, field: String? = nil, from: Duration, to: Duration
  ) {
    self.device = device
    self.attribute = attribute
    self.field = field
    self.from = from
    self.to = to
  }
}

/// A number that was measured.
public struct FoundValue: Hashable, Sendable {
  /// RFC 3339, UTC.
  public let time: String
  /// The name of the field; empty for a value without fields.
  public let field: String
  public let value: Double
}

/// The numbers of some minutes.
public struct ValueBucket: Hashable, Sendable {
  /// The start, since 1970-01-01T00:00:00Z.
  public let start: Duration
  /// The start in RFC 3339, UTC.
  public var time: String { Timestamp.text(start) }
  /// The name of the field; empty for a value without fields.
  public let field: String
  public let minimum: Double
  public let maximum: Double
  public let mean: Double
  public let count: Int
}

extension JournalFile {
  /// The longest bucket, in minutes: a year.
  public static let longestBucket = 366 * 24 * 60

  /// Calls `take` with each number, in the order of time.
  ///
  /// - Throws: ``JournalFailure``, including for errors that `take` throws.
  public func values(
    _ query: ValueQuery, _ take: (FoundValue) throws -> Void
  ) throws(JournalFailure) {
    let rows = """
      SELECT v.time AS time, \(NumbersOfValues.field) AS field, \(NumbersOfValues.number) AS value
      FROM chains c
      JOIN steps s ON s.run = c.run AND s.chain = c.chain
      JOIN \(Self.valuesOfStep)
      JOIN \(NumbersOfValues.tree)
      WHERE c.device = ?1 AND \(Self.isDuring("?3", "?4")) AND s.attribute = ?2
        AND v.time >= ?3 AND v.time < ?4
        AND \(NumbersOfValues.isNumber) AND (?5 IS NULL OR \(NumbersOfValues.field) = ?5)
      ORDER BY v.time, v.event, j.id
      """
    let arguments: StatementArguments = [
      query.device, query.attribute, Timestamp.text(query.from), Timestamp.text(query.to),
      query.field,
    ]
    try read { database in
      let cursor = try Row.fetchCursor(database, sql: rows, arguments: arguments)
      while let row = try cursor.next().map({ StoredRow($0) }) {
        try take(
          FoundValue(
            time: try row.time("time"), field: try row.text("field"),
            value: try row.number("value")
          )
        )
      }
    }
  }

  /// The values of a step, found by their events, which lie between those of its start and its end.
  private static let valuesOfStep = """
    step_values v ON v.run = s.run AND v.chain = s.chain AND v.step = s.step
        AND v.event BETWEEN s.started_event AND coalesce(s.finished_event, 1 << 62)
    """

  /// Whether a step has a single value. A second one ends the search.
  private static let isSingle = """
    (SELECT count(*) FROM (
        SELECT 1 FROM step_values o
        WHERE o.run = s.run AND o.chain = s.chain AND o.step = s.step
          AND o.event BETWEEN s.started_event AND coalesce(s.finished_event, 1 << 62)
        LIMIT 2)) = 1
    """

  /// Whether a chain was under way between two times.
  private static func isDuring(_ from: String, _ to: String) -> String {
    "c.started < \(to) AND (c.finished IS NULL OR c.finished >= \(from))"
  }

  /// The query for buckets, without its values: rollups, and the values of steps with a single one,
  /// which have none. CROSS JOIN keeps the order: the values of other steps are not read.
  static let bucketQuery = """
    SELECT minute / ?5 AS bucket, field, min(minimum) AS minimum, max(maximum) AS maximum,
      sum(total) / sum(count) AS mean, sum(count) AS count
    FROM (
      SELECT r.minute, r.field, r.minimum, r.maximum, r.total, r.count
      FROM chains c
      JOIN steps s ON s.run = c.run AND s.chain = c.chain
      JOIN rollups r ON r.run = s.run AND r.chain = s.chain AND r.step = s.step
      WHERE c.device = ?1 AND \(isDuring("?7", "?8")) AND s.attribute = ?2
        AND r.minute >= ?3 AND r.minute < ?4
      UNION ALL
      SELECT \(NumbersOfValues.minute) AS minute, \(NumbersOfValues.field),
        \(NumbersOfValues.number), \(NumbersOfValues.number), \(NumbersOfValues.number), 1
      FROM chains c
      CROSS JOIN steps s ON s.run = c.run AND s.chain = c.chain
      CROSS JOIN \(valuesOfStep)
      JOIN \(NumbersOfValues.tree)
      WHERE c.device = ?1 AND \(isDuring("?7", "?8")) AND s.attribute = ?2
        AND NOT EXISTS (SELECT 1 FROM rollups r
                        WHERE r.run = s.run AND r.chain = s.chain AND r.step = s.step)
        AND \(isSingle)
        AND \(NumbersOfValues.isNumber) AND \(NumbersOfValues.hasTime)
        AND v.time >= ?7 AND v.time < ?8
    )
    WHERE ?6 IS NULL OR field = ?6
    GROUP BY bucket, field ORDER BY bucket, field
    """

  /// The buckets of a time range that have values, in order of time. They begin at whole multiples
  /// of their length since 1970, and the first one has all values of its first minute.
  ///
  /// - Parameter minutes: The length of a bucket: 1 to ``longestBucket``.
  /// - Throws: ``JournalFailure``.
  /// - Complexity: Linear in the minutes and the steps of the chains that were under way, however
  ///   many values they have.
  public func buckets(of query: ValueQuery, minutes: Int) throws(JournalFailure) -> [ValueBucket] {
    precondition((1...Self.longestBucket).contains(minutes), "a bucket has a length")
    let (first, end) = (query.from.wholeMinutes, (query.to + .seconds(59)).wholeMinutes)
    return try read { database in
      try database.rows(
        Self.bucketQuery,
        [
          query.device, query.attribute, first, end, minutes, query.field,
          Timestamp.text(.seconds(first * 60)), Timestamp.text(.seconds(end * 60)),
        ]
      ).map { row in
        let bucket = try row.integer("bucket", in: StoredRow.ordinals)
        return ValueBucket(
          start: .seconds(bucket * Int64(minutes) * 60), field: try row.text("field"),
          minimum: try row.number("minimum"), maximum: try row.number("maximum"),
          mean: Self.rounded(try row.number("mean")), count: try row.ordinal("count")
        )
      }
    }
  }
}

extension JournalFile {
  /// A mean to twelve significant digits. Further digits are rounding errors of the sum.
  private static func rounded(_ mean: Double) -> Double {
    guard mean != 0 else { return 0 }
    let scale = pow(10, 11 - log10(abs(mean)).rounded(.down))
    let scaled = (mean * scale).rounded() / scale
    return scaled.isFinite ? scaled : mean
  }
}

extension Duration {
  /// The whole minutes since 1970-01-01T00:00:00Z.
  var wholeMinutes: Int64 { components.seconds / 60 }
}
