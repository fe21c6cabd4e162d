// Runs as a program shows them that follows a journal.

/// A run while it goes on, or just ended.
///
/// The cost of reading it does not grow with the number of its values.
package struct FollowedRun: Hashable, Sendable {
  /// The number in this journal.
  package let run: Int64
  package let command: String
  /// The name of the batch, else of the first chain; nil when neither has one.
  package let name: String?
  /// RFC 3339, UTC.
  package let started: String
  /// Nil for a run without a recorded end.
  package let finished: String?
  package let exitStatus: Int32?
  let owner: String?
  /// The devices of its first chains, each once.
  package let devices: [String]
  /// How many devices have begun.
  package let deviceCount: Int
  /// How much of it is done; nil where the total is unknown.
  package let progress: RunProgress?
  /// The number of steps that have ended, in all attempts, implied steps included.
  package let stepsEnded: Int
  /// Why its last chain that failed did; nil where none did.
  package let failure: String?
  /// The latest steps of the chains that are under way or began last, oldest first.
  package let steps: [FollowedStep]
  /// Whether it goes on, as far as anybody knows.
  package internal(set) var isUnderWay = false
}

/// How much of a run is done.
package struct RunProgress: Hashable, Sendable {
  /// The unit of the counts.
  package enum Unit: String, Hashable, Sendable {
    /// The devices of a batch.
    case devices
    /// The written steps of a chain, each once.
    case steps
  }

  package let unit: Unit
  /// How many have ended.
  package var ended: Int
  /// How many of them failed.
  package var failed: Int
  /// How many there are.
  package let total: Int

  /// `ended` of `total`.
  package init(_ unit: Unit, ended: Int, failed: Int = 0, total: Int) {
    self.unit = unit
    self.ended = ended
    self.failed = failed
    self.total = total
  }

  /// Whether a step counts: each written one does once, whatever repeats it, and implied ones do not.
  package static func counts(_ position: String) -> Bool {
    position.first?.isNumber == true
      && !position.split(separator: "[").dropFirst().contains { !$0.hasPrefix("1]") }
  }
}

/// A step of a run that is followed.
package struct FollowedStep: Hashable, Sendable {
  /// The number of its chain within the run.
  package let chain: Int
  package let device: String
  package let attempt: Int
  /// `3`, `4[7].2`, `connect`.
  package let position: String
  package let operation: String
  package let attribute: String?
  /// `ok`, `failed`, `cancelled` or `skipped`; nil without a recorded end.
  package let status: String?
  /// The outcome, as the text report has it; nil without one.
  package let outcome: String?
  /// The message of the failure.
  package let message: String?
}
