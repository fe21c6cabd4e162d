// What a scheduler knows of those that request turns from it.

/// A request for a turn.
protocol TurnTaker: AnyObject, Sendable {
  /// Which request of the scheduler this is.
  var id: UInt64 { get }

  /// What its turn is called.
  var name: TurnName { get }

  /// The turn begins. Called at most once; the request reports the turn's end to the scheduler.
  func begin()

  /// Ends the request if it waits, cancels its work if that runs, does nothing once it has ended.
  func cancel(_ cause: any Error)
}
