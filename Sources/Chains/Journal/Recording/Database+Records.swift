// Writing records as rows, each with its checksum.
//
// Existing rows stay: a commit whose confirmation was lost can be repeated.

import GRDB

extension Database {
  func insert(_ header: RunHeader) throws -> Int64 {
    try insert(
      [
        nil, header.identity, header.command, header.definition, "\(header.seed)",
        header.isSimulated ? 1 : 0, header.owner, header.version, header.startedText, nil, nil, 0,
      ],
      in: .runs
    )
    let run = lastInsertedRowID
    try cachedStatement(sql: JournalTable.runs.seal).execute(arguments: [run])
    if let batch = header.batch { try insert(batch, run: run) }
    return run
  }

  /// Changes the record of a run. A record without a checksum does not get one.
  func update(_ run: Int64, set: String, _ arguments: StatementArguments) throws {
    try execute(sql: "UPDATE runs SET \(set) WHERE run = ?", arguments: arguments + [run])
    try cachedStatement(sql: JournalTable.runs.reseal).execute(arguments: [run])
  }

  /// Adds to the number of lost records of a run.
  func note(lost: Int, of run: Int64) throws {
    try update(run, set: "lost = lost + ?", [lost])
  }

  func insert(_ values: StatementArguments, in table: JournalTable) throws {
    try cachedStatement(sql: table.insert).execute(arguments: values)
  }

  func insert(_ record: JournalRecord, run: Int64, chain: Int) throws {
    switch record {
    case .batchDevices(let members): try insert(members, run: run)
    case .chainStarted(let start):
      try insert(
        [
          run, chain, start.device, start.name, start.identity, start.seed, start.steps,
          start.moment.time, start.moment.offset, nil, nil, nil, nil, nil, nil, nil,
        ],
        in: .chains
      )
    case .stepStarted(let start):
      try insert(
        [
          run, chain, start.step, start.attempt, start.position, start.operation,
          start.attribute, start.written, start.moment.time, start.moment.offset,
          start.moment.event, nil, nil, nil, nil, nil, start.result,
        ],
        in: .steps
      )
    case .value(let value):
      try insert(
        [
          run, chain, value.moment.event, value.step, value.moment.time, value.moment.offset,
          value.value, value.hex,
        ],
        in: .values
      )
    case .gap(let step, let moment, let text):
      try insert([run, chain, moment.event, step, moment.time, moment.offset, text], in: .gaps)
    case .note(let moment, let attempt, let text):
      try insert(
        [run, chain, moment.event, attempt, moment.time, moment.offset, "note", text], in: .remarks
      )
    case .stepFinished(let end): try update(end, run, chain)
    case .chainFinished(let end): try update(end, run, chain)
    }
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
    try cachedStatement(sql: JournalTable.steps.seal).execute(arguments: [run, chain, end.step])
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
    try cachedStatement(sql: JournalTable.chains.seal).execute(arguments: [run, chain])
    try insert(error: end.error, end.moment, step: nil, run, chain)
  }

  private func insert(
    error: String?, _ moment: Moment, step: Int?, _ run: Int64, _ chain: Int
  ) throws {
    guard let error else { return }
    try insert([run, chain, moment.event, step, error], in: .errors)
  }
}
