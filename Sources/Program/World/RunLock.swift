// Who resumes a run of simulated devices: one process at a time.
//
// Real runs have their owner in the journal. Simulated ones have none there, for their journals
// repeat octet for octet.

import Jobs
import Journal

/// A run of simulated devices that this process has, by a locked file beside the journal.
///
/// The kernel gives the lock back when the process ends, however it ends; the file that a killed one
/// leaves keeps nobody out.
final class RunLock: Sendable {
  /// What comes of asking for a run.
  enum Attempt {
    case held(RunLock)
    case taken
    /// The file cannot be used, for the reason given.
    case failed(String)
  }

  private let file: LockedFile

  private init(_ file: LockedFile) { self.file = file }

  /// - Parameter journal: The path of the journal, links and all.
  static func path(journal: String, run: Int64) -> String {
    "\(Batch.wholePath(of: journal))-run-\(run).lock"
  }

  /// Asks for a run, without waiting.
  static func attempt(_ run: Int64, of journal: String) -> Attempt {
    switch LockedFile.attempt(path(journal: journal, run: run)) {
    case .held(let file): .held(RunLock(file))
    case .taken: .taken
    case .failed(let reason): .failed(reason)
    }
  }

  /// Whether another process has it. Touches nothing.
  static func isTaken(_ run: Int64, of journal: String) -> Bool {
    let attempt = LockedFile.attempt(path(journal: journal, run: run), makes: false)
    if case .taken = attempt { return true }
    return false
  }

  /// Deletes the file: the journal's record of the run is complete.
  func end() { file.remove() }
}
