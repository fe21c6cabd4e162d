// Rows about batches, beside those of their chains.

import GRDB
import Jobs

extension Database {
  func insert(_ origin: BatchOrigin, run: Int64) throws {
    try insert([run, origin.file, origin.name, origin.digest, origin.round], in: .batches)
  }

  func insert(_ members: [BatchMember], run: Int64) throws {
    for (index, member) in members.enumerated() {
      try insert([run, index + 1, member.device, member.name], in: .batchDevices)
    }
  }

  /// Makes another process the owner of a run, which is then under way again.
  ///
  /// - Returns: The number of its last chain, 0 for none; nil when the run does not exist or has
  ///   another owner than `takeover` expects.
  func take(_ takeover: RunTakeover, of run: Int64) throws -> Int? {
    try execute(
      sql: """
        UPDATE runs SET owner = ?, finished = NULL, exit_status = NULL
        WHERE run = ? AND owner IS ?
        """,
      arguments: [takeover.owner, run, takeover.former]
    )
    guard changesCount > 0 else { return nil }
    try cachedStatement(sql: JournalTable.runs.reseal).execute(arguments: [run])
    let chains = try last("chain", of: .chains, run: run)
    try insert(
      [
        run, try last("resumption", of: .resumptions, run: run) + 1, chains + 1, takeover.owner,
        takeover.version, Timestamp.text(takeover.started),
      ],
      in: .resumptions
    )
    return chains
  }

  /// The highest number of a run's records; 0 for none.
  private func last(_ number: String, of table: JournalTable, run: Int64) throws -> Int {
    let sql = "SELECT coalesce(max(\(number)), 0) AS last FROM \(table.name) WHERE run = ?"
    return try row(sql, [run])?.ordinal("last") ?? 0
  }
}
