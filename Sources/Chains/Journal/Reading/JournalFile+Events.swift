// The events of a run read back, for reports of runs that are over.
//
// They lack what a journal does not store, such as the devices of services that were found.

import GRDB
public import Reports
public import RunEvents

extension JournalFile {
  /// Calls `take` with the events of a run: those of one chain after those of the other, in the
  /// order in which the chains began.
  ///
  /// - Returns: Whether the run exists.
  /// - Throws: ``JournalFailure``, including for errors that `take` throws.
  /// - Complexity: Linear in the events; memory does not grow with their number.
  public func events(
    of run: Int64, _ take: (RunEvent) throws -> Void
  ) throws(JournalFailure) -> Bool {
    var lines = EventLines()
    return try exportLines(run) { line in
      if let event = lines.event(of: line.json) { try take(event) }
    }
  }

  /// The chains of a run as reports of complete runs have them: with their steps, values, messages
  /// and failures, in bounded memory.
  ///
  /// In a batch that was resumed, the last chain of each device decides; the earlier ones are its
  /// first tries.
  ///
  /// - Parameter completion: Completes the steps of a device, of which a journal has only a part.
  /// - Returns: Nil when no run has this number.
  /// - Throws: ``JournalFailure``.
  public func recordedRuns(
    _ run: Int64, completing completion: @escaping ReportedStep.Completion = { step, _ in step }
  ) throws(JournalFailure) -> [RecordedRun]? {
    let isBatch = try read { try $0.isBatch(run) }
    var collector = RunCollector(keepsValues: true, resuming: isBatch ? [] : nil)
    var lines = EventLines(completing: completion)
    let isThere = try exportLines(run) { line in
      if let event = lines.event(of: line.json) { collector.apply(event) }
    }
    return isThere ? collector.runs : nil
  }

  /// The batch of a run as reports of complete runs have it; nil for a run of no batch.
  ///
  /// - Parameter runs: The result of ``recordedRuns(_:completing:)`` for it.
  /// - Throws: ``JournalFailure``.
  public func recordedWhole(
    _ run: Int64, of runs: [RecordedRun]
  ) throws(JournalFailure) -> CommandRecord? {
    let begun = Set(runs.map(\.device))
    return try read { database in
      guard let batch = try database.batch(of: run),
        let row = try database.row(
          "SELECT identity, seed, finished, exit_status FROM runs WHERE run = ?", [run]
        )
      else { return nil }
      return CommandRecord(
        recorded: batch.origin.name,
        RunIdentity(recorded: try row.text("identity"), seed: UInt64(try row.seed("seed")) ?? 0),
        runs,
        notRun: batch.devices.filter { !begun.contains($0.device) }.map {
          DeviceTitle.text($0.device, name: $0.name)
        },
        endedAt: try row.optionalTime("finished").flatMap { Timestamp.time($0) },
        status: try row.exitStatus("exit_status").map { ExitStatus(rawValue: $0) }
      )
    }
  }
}
