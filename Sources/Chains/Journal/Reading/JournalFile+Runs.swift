// Reading runs and their chains.

import GRDB

extension JournalFile {
  /// The runs, the latest first.
  ///
  /// - Parameters:
  ///   - device: The device of the runs, as they named it; nil for all runs.
  ///   - since: When the earliest of them began, RFC 3339 in UTC; nil for all times.
  ///   - most: The maximum number of runs.
  public func runs(
    of device: String? = nil, since: String? = nil, most: Int = .max
  ) throws(JournalFailure) -> [RunSummary] {
    try read { database in
      let numbers = try Int64.fetchAll(
        database,
        sql: """
          SELECT run FROM runs
          WHERE (?1 IS NULL OR run IN (SELECT run FROM chains WHERE device = ?1))
            AND (?2 IS NULL OR started >= ?2)
          ORDER BY run DESC LIMIT ?3
          """,
        arguments: [device, since, most]
      )
      return try numbers.compactMap { try database.run($0) }
    }
  }

  /// The runs with lost records, in order, each with the number of them.
  public func incompleteRuns() throws(JournalFailure) -> [(run: Int64, lost: Int)] {
    try read { database in
      try database.rows("SELECT run, lost FROM runs WHERE lost > 0 ORDER BY run")
        .map { (try $0.integer("run"), try $0.ordinal("lost")) }
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
      let rows = try database.rows(
        """
        SELECT c.device, c.status, c.exit_status, e.class, e.code, \(ChainSummary.warnings)
        FROM chains c LEFT JOIN errors e
          ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
        WHERE c.run = ? AND c.status IS NOT NULL
        ORDER BY c.chain
        """,
        [run]
      )
      var devices: [FinishedDevice] = []
      var indices: [String: Int] = [:]
      for row in rows {
        var device = FinishedDevice(
          device: try row.text("device"), status: try row.text("status"),
          exitStatus: try row.exitStatus("exit_status") ?? 0, class: try row.optionalText("class"),
          warnings: try row.ordinal("warnings")
        )
        device.code = try row.optionalText("code")
        if let index = indices[device.device] {
          device.chains = devices[index].chains + 1
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

extension ChainSummary {
  /// The column `warnings` of a row of `chains c`: how many steps of its last attempt ended with one.
  static let warnings = """
    (SELECT count(*) FROM steps w WHERE w.run = c.run AND w.chain = c.chain
     AND w.attempt = c.attempts AND w.status = 'warning') AS warnings
    """
}

extension Database {
  /// One run with its chains.
  fileprivate func run(_ run: Int64) throws -> RunSummary? {
    guard let row = try row("SELECT * FROM runs WHERE run = ?", [run]) else { return nil }
    return RunSummary(
      run: run, identity: try row.text("identity"), command: try row.text("command"),
      definition: try row.text("definition"), seed: try row.seed("seed"),
      isSimulated: try row.boolean("simulated"), owner: try row.optionalText("owner"),
      version: try row.text("version"), started: try row.time("started"),
      finished: try row.optionalTime("finished"), exitStatus: try row.exitStatus("exit_status"),
      lost: try row.ordinal("lost"), batch: try batch(of: run),
      resumptions: try resumptions(of: run), chains: try chains(of: run)
    )
  }

  private func chains(of run: Int64) throws -> [ChainSummary] {
    let rows = try rows(
      """
      SELECT c.*, e.code, e.class, \(ChainSummary.warnings),
        (SELECT count(*) FROM steps s
         WHERE s.run = c.run AND s.chain = c.chain AND s.status NOT IN ('failed', 'cancelled')
           AND s.position GLOB '[0-9]*' AND s.operation NOT IN ('repeat', 'when', 'try')
           AND s.attempt = (SELECT l.attempt FROM steps l WHERE l.run = c.run AND l.chain = c.chain
                            ORDER BY l.step DESC LIMIT 1)) AS done_steps,
        (SELECT count(*) FROM step_values v
         WHERE v.run = c.run AND v.chain = c.chain) AS kept
      FROM chains c LEFT JOIN errors e
        ON e.run = c.run AND e.chain = c.chain AND e.event = c.finished_event
      WHERE c.run = ? ORDER BY c.chain
      """,
      [run]
    )
    return try rows.map { row in
      let start = try row.offset("started_offset")
      let end = try row.optionalInteger("finished_offset", in: StoredRow.microseconds)
      return ChainSummary(
        chain: try row.ordinal("chain"), device: try row.text("device"),
        name: try row.optionalText("name"), started: try row.time("started"),
        finished: try row.optionalTime("finished"), took: end.map { $0 - start },
        status: try row.optionalText("status"), exitStatus: try row.exitStatus("exit_status"),
        code: try row.optionalText("code"), class: try row.optionalText("class"),
        stepsDone: try row.ordinal("done_steps"), warnings: try row.ordinal("warnings"),
        values: try row.ordinal("kept")
      )
    }
  }
}
