// Reading runs and their chains.

import GRDB

extension JournalFile {
  /// The runs, the latest first.
  ///
  /// - Parameters:
  ///   - device: The device of the runs, as they named it; nil for all runs.
  ///   - most: The maximum number of runs.
  public func runs(
    of device: String? = nil,
    most: Int = .max
  ) throws(JournalFailure) -> [RunSummary] {
    try read { database in
      let numbers = try Int64.fetchAll(
        database,
        sql: """
          SELECT run FROM runs
          WHERE ?1 IS NULL OR run IN (SELECT run FROM chains WHERE device = ?1)
          ORDER BY run DESC LIMIT ?2
          """,
        arguments: [device, most]
      )
      return try numbers.compactMap { try database.run($0) }
    }
  }

  /// The runs with lost records, in order, each with the number of them.
  public func incompleteRuns() throws(JournalFailure) -> [(run: Int64, lost: Int)] {
    try read { database in
      try Row.fetchAll(database, sql: "SELECT run, lost FROM runs WHERE lost > 0 ORDER BY run")
        .map { ($0[0], $0[1]) }
    }
  }

  /// One run; nil when no run has this number.
  public func run(_ run: Int64) throws(JournalFailure) -> RunSummary? {
    try read { try $0.run(run) }
  }

  /// The devices of a run whose chains have ended, each with its last ending, in the order of their
  /// first endings.
  ///
  /// A chain that was under way when its process died is not included. A batch that is resumed
  /// skips devices with the status `ok`, and decides about the others by their class.
  public func finishedDevices(of run: Int64) throws(JournalFailure) -> [FinishedDevice] {
    try read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT c.device, c.status, c.exit_status, e.class
          FROM chains c LEFT JOIN errors e
            ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
          WHERE c.run = ? AND c.status IS NOT NULL
          ORDER BY c.chain
          """,
        arguments: [run]
      )
      var devices: [FinishedDevice] = []
      var indices: [String: Int] = [:]
      for row in rows {
        let device = FinishedDevice(
          device: row[0],
          status: row[1],
          exitStatus: row[2],
          class: row[3]
        )
        if let index = indices[device.device] {
          devices[index] = device
        } else {
          indices[device.device] = devices.count
          devices.append(device)
        }
      }
      return devices
    }
  }
}

extension Database {
  /// One run with its chains.
  fileprivate func run(_ run: Int64) throws -> RunSummary? {
    guard
      let row = try Row.fetchOne(self, sql: "SELECT * FROM runs WHERE run = ?", arguments: [run])
    else { return nil }
    return RunSummary(
      run: run,
      identity: row["identity"],
      command: row["command"],
      definition: row["definition"],
      seed: row["seed"],
      isSimulated: row["simulated"],
      owner: row["owner"],
      version: row["version"],
      started: row["started"],
      finished: row["finished"],
      exitStatus: row["exit_status"],
      lost: row["lost"],
      batch: try batch(of: run),
      resumptions: try resumptions(of: run),
      chains: try chains(of: run)
    )
  }

  private func chains(of run: Int64) throws -> [ChainSummary] {
    let rows = try Row.fetchAll(
      self,
      sql: """
        SELECT c.*, e.code, e.class,
          (SELECT count(*) FROM steps s
           WHERE s.run = c.run AND s.chain = c.chain AND s.status IS NOT NULL) AS ended,
          (SELECT count(*) FROM step_values v
           WHERE v.run = c.run AND v.chain = c.chain) AS kept
        FROM chains c LEFT JOIN errors e
          ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
        WHERE c.run = ? ORDER BY c.chain
        """,
      arguments: [run]
    )
    return rows.map { row in
      let end: Int64? = row["finished_offset"]
      let start: Int64 = row["started_offset"]
      return ChainSummary(
        chain: row["chain"],
        device: row["device"],
        name: row["name"],
        started: row["started"],
        finished: row["finished"],
        took: end.map { $0 - start },
        status: row["status"],
        exitStatus: row["exit_status"],
        code: row["code"],
        class: row["class"],
        stepsEnded: row["ended"],
        values: row["kept"]
      )
    }
  }
}
