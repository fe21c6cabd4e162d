// What a thread that turns a loop does it for.

/// When to stop turning a loop. Asked between jobs, by the driver and by others for those that
/// sleep.
protocol DriveGoal: Sendable {
  var isReached: Bool { get }

  /// Until when a thread sleeps for this that another one drives for; nil for ever.
  var patience: Instant? { get }

  /// A thread has slept that long; the goal counts as reached from now on.
  func runOut()
}

extension DriveGoal {
  var patience: Instant? { nil }
  func runOut() {}
}

/// A goal that a closure knows.
struct DriveCondition: DriveGoal {
  private let condition: @Sendable () -> Bool

  init(isReached condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  var isReached: Bool { condition() }
}
