// What a subscription tells: values, and where values are missing between them.

public import Signals

/// A value, or a place at which values are missing.
public enum NotificationEvent: Hashable, Sendable {
  case value(NotifiedValue)
  case gap(NotificationGap)

  /// The value; nil for a gap.
  public var notification: NotifiedValue? {
    if case .value(let notification) = self { notification } else { nil }
  }
}

/// A stretch of time in which values were lost, or may have been.
public struct NotificationGap: Hashable, Sendable {
  public enum Cause: Hashable, Sendable {
    /// There was no link, or no subscription: what the device sent meanwhile nobody knows.
    case linkLost
    /// The buffer was full: so many values were dropped here, in a row.
    case overflow(dropped: Int)
  }

  public let cause: Cause
  /// When it began, on the loop's clock.
  public let from: Instant
  /// When it ended.
  public let to: Instant

  public init(_ cause: Cause, from: Instant, to: Instant) {
    self.cause = cause
    self.from = from
    self.to = to
  }

  /// How long it was.
  public var lasted: Duration { to - from }

  /// How many values are known to have been dropped.
  public var dropped: Int {
    if case .overflow(let count) = cause { count } else { 0 }
  }
}

extension Signal where Value == NotificationEvent {
  /// The values without the gaps.
  public var notifications: Signal<NotifiedValue> { compactMap(\.notification) }
}
