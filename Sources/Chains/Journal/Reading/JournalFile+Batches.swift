// Reading batches.

import GRDB

/// The batch of a run, as a journal has it.
public struct BatchSummary: Hashable, Sendable {
  public let origin: BatchOrigin
  /// All devices of the run, in their planned order; empty when the run ended before they were
  /// known.
  public let devices: [BatchMember]
}

/// A process that resumed a run.
public struct Resumption: Hashable, Sendable {
  /// The number of its first chain, which may not have begun.
  public let chain: Int
  /// RFC 3339, UTC.
  public let started: String
}

extension JournalFile {
  /// The latest run of the batch in a file; nil when there is none.
  ///
  /// - Parameter file: The absolute path.
  public func lastRun(ofBatch file: String) throws(JournalFailure) -> RunSummary? {
    let number = try read { database in
      try Int64.fetchOne(
        database, sql: "SELECT max(run) FROM batches WHERE file = ?", arguments: [file]
      )
    }
    guard let number else { return nil }
    return try run(number)
  }
}

extension Database {
  func batch(of run: Int64) throws -> BatchSummary? {
    let sql = "SELECT file, name, digest, round FROM batches WHERE run = ?"
    guard let row = try row(sql, [run]) else { return nil }
    let devices = try rows(
      "SELECT device, name FROM batch_devices WHERE run = ? ORDER BY place", [run]
    )
    return BatchSummary(
      origin: BatchOrigin(
        file: try row.text("file"), name: try row.optionalText("name"),
        digest: try row.text("digest"), round: try row.ordinal("round")
      ),
      devices: try devices.map {
        BatchMember(device: try $0.text("device"), name: try $0.optionalText("name"))
      }
    )
  }

  /// Whether a run is one of a batch.
  func isBatch(_ run: Int64) throws -> Bool {
    try row("SELECT 1 FROM batches WHERE run = ?", [run]) != nil
  }

  func resumptions(of run: Int64) throws -> [Resumption] {
    try rows("SELECT chain, started FROM resumptions WHERE run = ? ORDER BY resumption", [run])
      .map { Resumption(chain: try $0.ordinal("chain"), started: try $0.time("started")) }
  }
}
