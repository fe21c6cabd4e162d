// Writing records as rows, each with its checksum.
//
// Existing rows stay: a commit whose confirmation was lost can be repeated.

import GRDB

extension Database {
  func insert(_ header: RunHeader) throws -> Int64 {
    try insert(header, in: JournalTables.runs, at: RecordPlace(run: nil))
    let run = lastInsertedRowID
    try cachedStatement(sql: JournalTables.runs.definition.seal).execute(arguments: [run])
    if let batch = header.batch { try insert(batch, run: run) }
    return run
  }

  /// Changes the record of a run. A record without a checksum does not get one.
  func update(_ run: Int64, set: String, _ arguments: StatementArguments) throws {
    try execute(sql: "UPDATE runs SET \(set) WHERE run = ?", arguments: arguments + [run])
    try cachedStatement(sql: JournalTables.runs.definition.reseal).execute(arguments: [run])
  }

  /// Sets the number of lost records of a run, so that a repeated commit does not count them twice.
  func note(lost: Int, of run: Int64) throws {
    try update(run, set: "lost = ?", [lost])
  }

  /// The number of lost records of a run that the journal has noted.
  func lost(of run: Int64) throws -> Int {
    try row("SELECT lost FROM runs WHERE run = ?", [run])?.ordinal("lost") ?? 0
  }

  /// Adds a record. `changesCount` is 0 if it was there before.
  ///
  /// - Parameter end: Its end, if it ended in the same transaction.
  func insert<Record, End>(
    _ record: Record, in table: JournalTable<Record, End>, at place: RecordPlace, end: End? = nil
  ) throws {
    var row = table.values(of: record, at: place, end: end)
    row.append(RecordChecksum.of(row, in: table.definition).databaseValue)
    let statement = try cachedStatement(sql: table.definition.insert)
    statement.setUncheckedArguments(StatementArguments(row))
    try statement.execute()
  }

  /// Sets the end of a record.
  private func update<Record, End>(
    _ end: End, in table: JournalTable<Record, End>, _ key: [any DatabaseValueConvertible]
  ) throws {
    let key = StatementArguments(key.map(\.databaseValue))
    let statement = try cachedStatement(sql: table.definition.update)
    try statement.execute(arguments: StatementArguments(table.values(of: end)) + key)
    try cachedStatement(sql: table.definition.seal).execute(arguments: key)
  }

  /// Adds the records of a transaction. A step that begins and ends in it is written once.
  func insert(
    _ entries: [RecordBatch.Entry], run: Int64, adding rollups: inout MinuteRollups
  ) throws {
    var ends: [StepKey: JournalRecord.StepEnd] = [:]
    for case (let chain, .stepFinished(let end)) in entries.lazy.map({ ($0.chain, $0.record) }) {
      ends[StepKey(chain: chain, step: end.step)] = end
    }
    for entry in entries {
      let chain = entry.chain
      let place = RecordPlace(run: run, chain: chain)
      switch entry.record {
      case .batchDevices(let members): try insert(members, run: run)
      case .chainStarted(let start): try insert(start, in: JournalTables.chains, at: place)
      case .stepStarted(let start):
        let key = StepKey(chain: chain, step: start.step)
        try insert(start, in: JournalTables.steps, at: place, end: ends[key])
        // If the start is there from an earlier transaction, its end still has to be written.
        if changesCount > 0 { ends[key] = nil }
      case .value(let value):
        try insert(value, in: JournalTables.values, at: place)
        rollups.add(value, of: chain, isNew: changesCount > 0)
      case .gap(let step, let moment, let text):
        try insert((step, moment, text), in: JournalTables.gaps, at: place)
      case .note(let moment, let attempt, let text):
        try insert((moment, attempt, text), in: JournalTables.remarks, at: place)
      case .stepFinished(let end):
        let key = StepKey(chain: chain, step: end.step)
        if ends[key] != nil { try update(end, in: JournalTables.steps, [run, chain, end.step]) }
        try insert(error: end.error, end.moment, step: end.step, at: place)
        rollups.end(key)
      case .chainFinished(let end):
        try update(end, in: JournalTables.chains, [run, chain])
        try insert(error: end.error, end.moment, step: nil, at: place)
        rollups.end(chain: chain)
      }
    }
  }

  private func insert(
    error: String?, _ moment: Moment, step: Int?, at place: RecordPlace
  ) throws {
    guard let error else { return }
    try insert((moment, step, error), in: JournalTables.errors, at: place)
  }
}
