// What a thread that turns a loop does it for.

/// When to stop turning a loop. Asked between jobs, by the driver and by others for those that
/// sleep.
protocol DriveGoal: Sendable {
  var isReached: Bool { get }
}

/// A goal that a closure knows.
struct DriveCondition: DriveGoal {
  private let condition: @Sendable () -> Bool

  init(isReached condition: @escaping @Sendable () -> Bool) { self.condition = condition }

  var isReached: Bool { condition() }
}

/// The goal of the background thread.
struct NoWorkLeft: DriveGoal {
  let loop: Loop

  var isReached: Bool { loop.state.withLock { !loop.hasWork($0) } }
}
