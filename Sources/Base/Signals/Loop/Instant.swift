// A point in the time of one loop.
//
// Not a wall-clock time, and not comparable with instants of another loop.

/// A point in the time of one loop, counted from that loop's start.
///
/// In real time it is measured on the monotonic clock, which a suspended host or a changed clock
/// does not move; in virtual time it is the time that the loop has jumped over.
@frozen
public struct Instant: Comparable, Hashable, Sendable, CustomStringConvertible {
  /// The time since the start of the loop.
  public let sinceStart: Duration

  /// The start of a loop.
  public static let start = Instant(sinceStart: .zero)

  /// The instant `sinceStart` after the start of its loop.
  public init(sinceStart: Duration) {
    self.sinceStart = sinceStart
  }

  /// Whether `a` is earlier than `b`. Instants of two loops cannot be compared.
  public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }

  /// The instant `duration` later.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(sinceStart: instant.sinceStart + duration)
  }

  /// The time from `b` to `a`; negative when `b` is later.
  public static func - (a: Instant, b: Instant) -> Duration {
    a.sinceStart - b.sinceStart
  }

  /// The instant `duration` later.
  public func advanced(by duration: Duration) -> Instant { self + duration }

  /// The time from here to `other`.
  public func duration(to other: Instant) -> Duration { other - self }

  /// The time since the start of the loop: "+1.5 seconds".
  public var description: String { "+\(sinceStart)" }
}
