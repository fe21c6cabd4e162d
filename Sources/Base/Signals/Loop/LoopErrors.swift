// Errors of loops. The errors of the work that they run are elsewhere.

/// A blocking call was made where it could never return.
///
/// Thrown at once, instead of a deadlock: by a blocking call in an operator's closure, an async
/// function or a callback that runs on a loop, and by one that would drive a loop while another
/// scheduler of the same loop is blocked further up the stack (nested drives end last in, first
/// out). Use `flattenMap`, or `await` the signal's `first()`.
public struct BlockedInsideLoop: Error, Equatable, Sendable, CustomStringConvertible {
  /// The blocking call: `firstOrDefault`.
  public let operation: String

  /// The error of the blocking call that is called `operation`.
  public init(operation: String) {
    self.operation = operation
  }

  /// The failure and its remedy.
  public var description: String {
    "\(operation) would block the loop that has to end it: chain with flattenMap, or await first()"
  }
}

/// A thread waits on a virtual loop that has no event left.
public struct LoopIdle: Error, Equatable, Sendable, CustomStringConvertible {
  /// The instant of the last event.
  public let at: Instant

  /// The error of a loop whose last event happened at `at`.
  public init(at: Instant) {
    self.at = at
  }

  /// The failure and its instant.
  public var description: String {
    "nothing is left to happen at \(at): no job, no timer, no work under way elsewhere"
  }
}

/// A virtual loop ran more events than its limit.
public struct EventLimitReached: Error, Equatable, Sendable, CustomStringConvertible {
  /// The limit, in jobs and callbacks.
  public let limit: Int

  /// The failure and the limit.
  public var description: String { "the run did not end within \(limit) events" }
}

/// The loop or the scheduler was shut down during a wait.
public struct LoopShutDown: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error of a wait on a loop that was shut down.
  public init() {}
  /// The failure.
  public var description: String { "the loop was shut down" }
}
