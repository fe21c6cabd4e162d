// Who resumes a run of simulated devices: one process at a time.
//
// Real runs have their owner in the journal. Simulated ones have none there, for their journals
// repeat byte for byte.

import Jobs

/// The locked file beside the journal of a run of simulated devices that a process has.
///
/// The file that a killed process leaves blocks nobody. It is removed when the journal's record of
/// the run is complete.
enum RunLock {
  /// The path of the locked file.
  ///
  /// - Parameter journal: The path of the journal; symbolic links are resolved.
  static func path(journal: String, run: Int64) -> String {
    "\(Batch.wholePath(of: journal))-run-\(run).lock"
  }

  /// Asks for a run, without waiting.
  static func attempt(_ run: Int64, of journal: String) -> LockedFile.Attempt {
    LockedFile.attempt(path(journal: journal, run: run))
  }

  /// Whether another process has it. Touches nothing.
  static func isTaken(_ run: Int64, of journal: String) -> Bool {
    let attempt = LockedFile.attempt(path(journal: journal, run: run), makes: false)
    if case .taken = attempt { return true }
    return false
  }
}
