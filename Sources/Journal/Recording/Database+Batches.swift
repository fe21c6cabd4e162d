// Rows about batches, beside those of their chains.

import GRDB
import Jobs

extension Database {
  func insert(_ origin: BatchOrigin, run: Int64) throws {
    try execute(
      sql: "INSERT INTO batches (run, file, name, digest, round) VALUES (?, ?, ?, ?, ?)",
      arguments: [run, origin.file, origin.name, origin.digest, origin.round]
    )
  }

  func insert(_ members: [BatchMember], run: Int64) throws {
    let statement = try cachedStatement(
      sql: "INSERT OR IGNORE INTO batch_devices (run, place, device, name) VALUES (?, ?, ?, ?)"
    )
    for (index, member) in members.enumerated() {
      try statement.execute(arguments: [run, index + 1, member.device, member.name])
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
    let last = try Int.fetchOne(
      self,
      sql: "SELECT coalesce(max(chain), 0) FROM chains WHERE run = ?",
      arguments: [run]
    )
    try execute(
      sql: """
        INSERT INTO resumptions (run, resumption, chain, owner, version, started)
        SELECT ?1, coalesce(max(resumption), 0) + 1, ?2, ?3, ?4, ?5
        FROM resumptions WHERE run = ?1
        """,
      arguments: [
        run, (last ?? 0) + 1, takeover.owner, takeover.version,
        Timestamp.text(takeover.started),
      ]
    )
    return last ?? 0
  }
}
