// What can go wrong with a loop itself, as opposed to the work it runs.

/// A blocking call was made where blocking could never end.
///
/// Thrown at once, instead of hanging: by a blocking call in an operator's closure, an async
/// function or a callback that runs on a loop, and by one that would drive a loop while another
/// scheduler of the same loop is blocked further up the stack (nested driving ends last in, first
/// out). Use `flattenMap`, or `await` the signal's `first()`.
public struct BlockedInsideLoop: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was asked to block.
  public let operation: String

  /// The error of the blocking call that is called `operation`.
  public init(operation: String) {
    self.operation = operation
  }

  /// What went wrong, and what to do about it.
  public var description: String {
    "\(operation) would block the loop that has to end it: chain with flattenMap, or await first()"
  }
}

/// A virtual loop was waited on, and nothing was left that could ever happen.
public struct LoopIdle: Error, Equatable, Sendable, CustomStringConvertible {
  /// When the last event had happened.
  public let at: Instant

  /// The error of a loop whose last event happened at `at`.
  public init(at: Instant) {
    self.at = at
  }

  /// When nothing was left to happen.
  public var description: String {
    "nothing is left to happen at \(at): no job, no timer, no work under way elsewhere"
  }
}

/// A virtual loop ran more events than it may in one run.
public struct EventLimitReached: Error, Equatable, Sendable, CustomStringConvertible {
  /// The limit, in jobs and callbacks.
  public let limit: Int

  /// Which limit was reached.
  public var description: String { "the run did not end within \(limit) events" }
}

/// The loop, or the scheduler, was shut down while something waited on it.
public struct LoopShutDown: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error of a wait on a loop that was shut down.
  public init() {}
  /// What went wrong, in a few words.
  public var description: String { "the loop was shut down" }
}
