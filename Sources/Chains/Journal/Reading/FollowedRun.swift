// The runs shown by a program that follows a journal.

/// A run that is under way or has just ended.
///
/// The cost of reading it does not grow with the number of its values.
package struct FollowedRun: Hashable, Sendable {
  /// The number in this journal.
  package let run: Int64
  package let command: String
  /// The name of the batch, or else of the first chain; nil if neither has one.
  package let name: String?
  /// The start, RFC 3339, UTC.
  package let started: String
  /// The end, RFC 3339, UTC; nil for a run without a recorded end.
  package let finished: String?
  package let exitStatus: Int32?
  let owner: String?
  /// The devices of its first chains, each once.
  package let devices: [String]
  /// The number of devices that have begun.
  package let deviceCount: Int
  /// The progress; nil if the total is unknown.
  package let progress: RunProgress?
  /// The number of steps that have ended, in all attempts, implied steps included.
  package let stepsEnded: Int
  /// The message of the last chain that failed; nil if none did.
  package let failure: String?
  /// The latest steps of the chains that are under way or began last, oldest first.
  package let steps: [FollowedStep]
  /// Whether it seems to be under way.
  package internal(set) var isUnderWay = false
}

/// The progress of a run.
package struct RunProgress: Hashable, Sendable {
  /// The unit of the counts.
  package enum Unit: String, Hashable, Sendable {
    /// The devices of a batch.
    case devices
    /// The written steps of a chain, each once.
    case steps
  }

  package let unit: Unit
  /// The number that have ended.
  package var ended: Int
  /// The number that have failed.
  package var failed: Int
  /// The total number.
  package let total: Int

  /// `ended` of `total`.
  package init(_ unit: Unit, ended: Int, failed: Int = 0, total: Int) {
    self.unit = unit
    self.ended = ended
    self.failed = failed
    self.total = total
  }

  /// Whether a step counts: each written step counts once, however often it is repeated; implied
  /// steps do not count.
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
