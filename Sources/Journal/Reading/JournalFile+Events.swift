// The events of a run read back, for reports of runs that are over.
//
// What a journal does not have is not in them, such as the devices of services that were found.

public import Jobs

extension JournalFile {
  /// Calls `take` with the events of a run: those of one chain after those of the other, in the
  /// order in which the chains began.
  ///
  /// - Returns: Whether the run exists.
  /// - Throws: ``JournalFailure``, also for what `take` throws.
  /// - Complexity: Linear in the events; memory does not grow with their number.
  public func events(
    of run: Int64,
    _ take: (RunEvent) throws -> Void
  ) throws(JournalFailure) -> Bool {
    var reader = RunEventReader()
    return try exportJSON(run) { line in
      if let event = try reader.event(in: line) { try take(event) }
    }
  }

  /// The chains of a run as reports of complete runs have them: with their steps, values, messages
  /// and failures, in bounded memory.
  ///
  /// - Returns: Nil when no run has this number.
  /// - Throws: ``JournalFailure``.
  public func recordedRuns(_ run: Int64) throws(JournalFailure) -> [RecordedRun]? {
    var collector = RunCollector(keepsValues: true)
    let isThere = try events(of: run) { collector.take($0) }
    return isThere ? collector.runs : nil
  }
}
