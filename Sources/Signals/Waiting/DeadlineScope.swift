// A limit on a stretch of work, as the waits inside it see it.

import Synchronization

/// One deadline that work was put under: by a blocking call, a turn, `timeout` or a clean-up.
///
/// Whoever sets a deadline arms one timer, which marks the scope expired and cancels the work. A
/// wait that is cancelled so says that it timed out, and at what, instead of that it was cancelled.
@usableFromInline
final class DeadlineScope: Sendable {
  let limit: Duration
  let instant: Instant
  private let outer: DeadlineScope?
  private let expired = Atomic(false)

  init(limit: Duration, on loop: Loop, inside outer: DeadlineScope?) {
    self.limit = limit
    self.instant = loop.now + limit
    self.outer = outer
  }

  func expire() { expired.store(true, ordering: .releasing) }

  var isExpired: Bool { expired.load(ordering: .acquiring) }

  /// The innermost limit that has passed, this one or one around it.
  @usableFromInline var passedLimit: Duration? {
    isExpired ? limit : outer?.passedLimit
  }

  /// The earliest instant of this scope and those around it.
  var earliest: Instant {
    guard let outer else { return instant }
    return min(instant, outer.earliest)
  }
}

/// The deadline that is carried down to the present work.
public enum Deadline {
  /// The earliest instant by which the present work has to end; nil when nothing limits it.
  public static var current: Instant? { Carried.current?.deadline?.earliest }
}

/// A wait, or a whole signal, did not end within its limit.
public struct TimedOut: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was being waited for.
  public let operation: String
  /// The limit that passed.
  public let after: Duration?

  public init(operation: String, after: Duration?) {
    self.operation = operation
    self.after = after
  }

  public var description: String {
    guard let after else { return "\(operation) ran out of time" }
    return "\(operation) did not end within \(after)"
  }
}
