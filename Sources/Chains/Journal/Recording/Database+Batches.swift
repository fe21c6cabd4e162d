// Rows about batches, beside those of their chains.

import GRDB

extension Database {
  func insert(_ origin: BatchOrigin, run: Int64) throws {
    try insert(origin, in: JournalTables.batches, at: RecordPlace(run: run))
  }

  func insert(_ members: [BatchMember], run: Int64) throws {
    for (index, member) in members.enumerated() {
      try insert((index + 1, member), in: JournalTables.batchDevices, at: RecordPlace(run: run))
    }
  }

  /// Makes another process the owner of a run, which is then under way again.
  ///
  /// - Returns: The number of its last chain, 0 for none; nil when the run does not exist or has
  ///   another owner than `takeover` expects.
  func apply(_ takeover: RunTakeover, to run: Int64) throws -> Int? {
    try execute(
      sql: """
        UPDATE runs SET owner = ?, finished = NULL, exit_status = NULL
        WHERE run = ? AND owner IS ?
        """,
      arguments: [takeover.owner, run, takeover.former]
    )
    guard changesCount > 0 else { return nil }
    try cachedStatement(sql: JournalTables.runs.definition.reseal).execute(arguments: [run])
    let chains = try last("chain", of: "chains", run: run)
    let resumption = try last("resumption", of: "resumptions", run: run) + 1
    try insert(
      (resumption, chains + 1, takeover), in: JournalTables.resumptions, at: RecordPlace(run: run)
    )
    return chains
  }

  /// The highest number of a run's records; 0 for none.
  private func last(_ number: String, of table: String, run: Int64) throws -> Int {
    let sql = "SELECT coalesce(max(\(number)), 0) AS last FROM \(table) WHERE run = ?"
    return try row(sql, [run])?.ordinal("last") ?? 0
  }
}
