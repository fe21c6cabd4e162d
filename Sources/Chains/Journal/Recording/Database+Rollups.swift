// Writing the rollups of values.

import GRDB

extension Database {
  /// Adds the values of a transaction to their minutes.
  func add(_ rollups: MinuteRollups, run: Int64) throws {
    for key in rollups.keys {
      guard let rollup = rollups.rollups[key] else { continue }
      let values = JournalTables.rollups.values(
        of: (key, rollup), at: RecordPlace(run: run, chain: key.chain)
      )
      try cachedStatement(
        sql: """
          INSERT INTO rollups (run, chain, step, minute, field, minimum, maximum, total, count)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET minimum = min(minimum, excluded.minimum),
            maximum = max(maximum, excluded.maximum), total = total + excluded.total,
            count = count + excluded.count
          """
      ).execute(arguments: StatementArguments(values))
      let table = JournalTables.rollups.definition
      try cachedStatement(sql: table.seal)
        .execute(arguments: StatementArguments(values.prefix(table.key.count)))
    }
  }

  /// Adds rollups of the values before a time that have none, because they are the only ones of
  /// their steps. What a scan received has none: no attribute finds it.
  func addRollups(ofSinglesBefore time: String) throws {
    try execute(
      sql: """
        INSERT INTO rollups
        SELECT *, record_checksum('rollups', run, chain, step, minute, field, minimum, maximum,
          total, count)
        FROM (
          SELECT v.run AS run, v.chain AS chain, v.step AS step,
            \(NumbersOfValues.minute) AS minute, \(NumbersOfValues.field) AS field,
            min(\(NumbersOfValues.number)) AS minimum, max(\(NumbersOfValues.number)) AS maximum,
            total(\(NumbersOfValues.number)) AS total, count(*) AS count
          FROM step_values v
          JOIN steps s ON s.run = v.run AND s.chain = v.chain AND s.step = v.step
          JOIN \(NumbersOfValues.tree)
          WHERE v.time < ? AND v.run IN (SELECT run FROM runs WHERE finished IS NOT NULL)
            AND (s.attribute IS NOT NULL OR s.operation IN ('rssi', 'read-rssi'))
            AND \(NumbersOfValues.isNumber) AND \(NumbersOfValues.hasTime)
            AND NOT EXISTS (SELECT 1 FROM rollups r
                            WHERE r.run = v.run AND r.chain = v.chain AND r.step = v.step)
          GROUP BY 1, 2, 3, 4, 5
        )
        WHERE abs(total) < 9e999
        """,
      arguments: [time]
    )
  }
}

/// The parts of a query for the numbers in the JSON of values: `v` is a row of `step_values`, `j` a
/// node of its JSON.
enum NumbersOfValues {
  static let tree = "json_tree(CASE WHEN json_valid(v.value) THEN v.value ELSE '{}' END) j"
  /// Numbers in lists are not measured ones.
  static let isNumber = "j.type IN ('integer', 'real') AND instr(j.fullkey, '[') = 0"
  static let field = #"ltrim(replace(j.fullkey, '"', ''), '$.')"#
  static let number = "CAST(j.atom AS REAL)"
  /// Whether the time can be read. A damaged record, or one of another program, may have any text.
  static let hasTime = "strftime('%s', v.time) IS NOT NULL"
  static let minute = "CAST(strftime('%s', v.time) AS INTEGER) / 60"
}
