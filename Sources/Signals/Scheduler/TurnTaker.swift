// What a scheduler knows of those that ask it for turns.

/// Somebody who asked for a turn.
protocol TurnTaker: AnyObject, Sendable {
  /// Which request of the scheduler this is.
  var id: UInt64 { get }

  /// The turn has come. Called at most once; whoever took it says when it has ended.
  func begin()

  /// Ends the request if it waits, cancels its work if that runs, does nothing once it has ended.
  func cancel(_ cause: any Error)
}
