// Finding values by device, characteristic and time.

import GRDB
import Glibc
import Jobs

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
      SELECT v.time AS time, ltrim(replace(j.fullkey, '"', ''), '$.') AS field,
        CAST(j.atom AS REAL) AS value
      FROM chains c
      JOIN steps s ON s.run = c.run AND s.chain = c.chain
      JOIN step_values v ON v.run = s.run AND v.chain = s.chain AND v.step = s.step
      JOIN json_tree(CASE WHEN json_valid(v.value) THEN v.value ELSE '{}' END) j
      WHERE c.device = ?1 AND s.attribute = ?2 AND v.time >= ?3 AND v.time < ?4
        AND j.type IN ('integer', 'real') AND instr(j.fullkey, '[') = 0
        AND (?5 IS NULL OR ltrim(replace(j.fullkey, '"', ''), '$.') = ?5)
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

  /// The query for buckets, without its values.
  static let bucketQuery = """
    SELECT r.minute / ?5 AS bucket, r.field AS field, min(r.minimum) AS minimum,
      max(r.maximum) AS maximum, sum(r.total) / sum(r.count) AS mean, sum(r.count) AS count
    FROM chains c
    JOIN steps s ON s.run = c.run AND s.chain = c.chain
    JOIN rollups r ON r.run = s.run AND r.chain = s.chain AND r.step = s.step
    WHERE c.device = ?1 AND s.attribute = ?2 AND r.minute >= ?3 AND r.minute < ?4
      AND (?6 IS NULL OR r.field = ?6)
    GROUP BY bucket, r.field ORDER BY bucket, r.field
    """

  /// The buckets of a time range that have values, in order of time. They begin at whole multiples
  /// of their length since 1970, and the first one has all values of its first minute.
  ///
  /// - Parameter minutes: The length of a bucket: 1 to ``longestBucket``.
  /// - Throws: ``JournalFailure``.
  /// - Complexity: Linear in the minutes, however many values they have.
  public func buckets(of query: ValueQuery, minutes: Int) throws(JournalFailure) -> [ValueBucket] {
    precondition((1...Self.longestBucket).contains(minutes), "a bucket has a length")
    return try read { database in
      try database.rows(
        Self.bucketQuery,
        [
          query.device, query.attribute, query.from.wholeMinutes,
          (query.to + .seconds(59)).wholeMinutes, minutes, query.field,
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
