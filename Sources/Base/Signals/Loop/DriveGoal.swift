// The condition that a blocked thread waits for.

/// The condition at which a thread stops driving a loop, or stops sleeping while another thread
/// drives it. The driver checks it between jobs.
protocol DriveGoal: Sendable {
  var isReached: Bool { get }

  /// The instant at which a sleeping thread stops waiting for this goal; nil to wait without limit.
  var waitDeadline: Instant? { get }

  /// Marks the goal as reached, because `waitDeadline` has passed.
  func waitDeadlinePassed()
}

extension DriveGoal {
  var waitDeadline: Instant? { nil }
  func waitDeadlinePassed() {}
}

/// A goal given by a closure.
struct DriveCondition: DriveGoal {
  private let condition: @Sendable () -> Bool

  init(isReached condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  var isReached: Bool { condition() }
}
