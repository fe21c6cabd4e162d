// Writing the rollups of values.

import GRDB

extension Database {
  /// Adds the values of a transaction to their minutes.
  func add(_ rollups: MinuteRollups, run: Int64) throws {
    for key in rollups.keys {
      guard let rollup = rollups.rollups[key] else { continue }
      let place: StatementArguments = [run, key.chain, key.step, key.minute, key.field]
      try cachedStatement(
        sql: """
          INSERT INTO rollups (run, chain, step, minute, field, minimum, maximum, total, count)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
          ON CONFLICT DO UPDATE SET minimum = min(minimum, excluded.minimum),
            maximum = max(maximum, excluded.maximum), total = total + excluded.total,
            count = count + excluded.count
          """
      ).execute(arguments: place + [rollup.minimum, rollup.maximum, rollup.total, rollup.count])
      try cachedStatement(sql: JournalTable.rollups.seal).execute(arguments: place)
    }
  }
}
