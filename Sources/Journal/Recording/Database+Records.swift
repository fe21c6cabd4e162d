// Writing records as rows, one statement for each kind.
//
// Existing rows stay: a commit whose confirmation was lost can be repeated.

import GRDB

extension Database {
  func insert(_ header: RunHeader) throws -> Int64 {
    try cachedStatement(
      sql: """
        INSERT INTO runs (identity, command, definition, seed, simulated, owner, version, started)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        header.identity, header.command, header.definition, "\(header.seed)",
        header.isSimulated ? 1 : 0, header.owner, header.version, header.startedText,
      ]
    )
    let run = lastInsertedRowID
    if let batch = header.batch { try insert(batch, run: run) }
    return run
  }

  /// Adds to the number of lost records of a run.
  func note(lost: Int, of run: Int64) throws {
    try execute(sql: "UPDATE runs SET lost = lost + ? WHERE run = ?", arguments: [lost, run])
  }

  func insert(_ record: JournalRecord, run: Int64, chain: Int) throws {
    switch record {
    case .batchDevices(let members): try insert(members, run: run)
    case .chainStarted(let start): try insert(start, run, chain)
    case .stepStarted(let start): try insert(start, run, chain)
    case .value(let value): try insert(value, run, chain)
    case .gap(let step, let moment, let text):
      try cachedStatement(
        sql: """
          INSERT OR IGNORE INTO gaps (run, chain, event, step, time, "offset", gap)
          VALUES (?, ?, ?, ?, ?, ?, ?)
          """
      ).execute(
        arguments: [run, chain, moment.event, step, moment.time, moment.offset, text]
      )
    case .stepFinished(let end): try update(end, run, chain)
    case .chainFinished(let end): try update(end, run, chain)
    }
  }

  private func insert(_ start: JournalRecord.ChainStart, _ run: Int64, _ chain: Int) throws {
    try cachedStatement(
      sql: """
        INSERT OR IGNORE INTO chains
          (run, chain, device, name, identity, seed, steps, started, started_offset)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        run, chain, start.device, start.name, start.identity, start.seed, start.steps,
        start.moment.time, start.moment.offset,
      ]
    )
  }

  private func insert(_ start: JournalRecord.StepStart, _ run: Int64, _ chain: Int) throws {
    try cachedStatement(
      sql: """
        INSERT OR IGNORE INTO steps
          (run, chain, step, attempt, position, operation, attribute, written, started,
           started_offset, started_event)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        run, chain, start.step, start.attempt, start.position, start.operation, start.attribute,
        start.written, start.moment.time, start.moment.offset, start.moment.event,
      ]
    )
  }

  private func insert(_ value: JournalRecord.StoredValue, _ run: Int64, _ chain: Int) throws {
    try cachedStatement(
      sql: """
        INSERT OR IGNORE INTO step_values
          (run, chain, event, step, time, "offset", value, hex)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        run, chain, value.moment.event, value.step, value.moment.time, value.moment.offset,
        value.value, value.hex,
      ]
    )
  }

  private func update(_ end: JournalRecord.StepEnd, _ run: Int64, _ chain: Int) throws {
    try cachedStatement(
      sql: """
        UPDATE steps SET finished = ?, finished_offset = ?, finished_event = ?, took = ?,
          status = ?, result = ?
        WHERE run = ? AND chain = ? AND step = ?
        """
    ).execute(
      arguments: [
        end.moment.time, end.moment.offset, end.moment.event, end.took, end.status, end.result,
        run, chain, end.step,
      ]
    )
    try insert(error: end.error, end.moment, step: end.step, run, chain)
  }

  private func update(_ end: JournalRecord.ChainEnd, _ run: Int64, _ chain: Int) throws {
    try cachedStatement(
      sql: """
        UPDATE chains SET finished = ?, finished_offset = ?, finished_event = ?, status = ?,
          exit_status = ?, attempts = ?, done = ?
        WHERE run = ? AND chain = ?
        """
    ).execute(
      arguments: [
        end.moment.time, end.moment.offset, end.moment.event, end.status, end.exitStatus,
        end.attempts, end.done, run, chain,
      ]
    )
    try insert(error: end.error, end.moment, step: nil, run, chain)
  }

  private func insert(
    error: String?,
    _ moment: Moment,
    step: Int?,
    _ run: Int64,
    _ chain: Int
  ) throws {
    guard let error else { return }
    try cachedStatement(
      sql: "INSERT OR IGNORE INTO errors (run, chain, event, step, error) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [run, chain, moment.event, step, error])
  }
}
