// The events of a subscription: values, and gaps where values are missing.

public import Signals

/// A value, or a gap where values are missing.
public enum NotificationEvent: Hashable, Sendable {
  /// A value arrived.
  case value(NotifiedValue)
  /// Values are missing here.
  case gap(NotificationGap)

  /// The value; nil for a gap.
  public var notification: NotifiedValue? {
    if case .value(let notification) = self { notification } else { nil }
  }
}

/// A period in which values were lost, or may have been.
public struct NotificationGap: Hashable, Sendable {
  /// The reason why values are missing.
  public enum Cause: Hashable, Sendable {
    /// There was no connection or no subscription: what the device sent in that time is unknown.
    case linkLost
    /// The buffer was full: this many consecutive values were dropped.
    case overflow(dropped: Int)
    /// The reader of the output was too slow: this many values arrived, but were not printed.
    case output(dropped: Int)
  }

  /// The reason why values are missing.
  public let cause: Cause
  /// The start, on the loop's clock.
  public let from: Instant
  /// The end, on the loop's clock.
  public let to: Instant

  /// A period in which values were lost.
  public init(_ cause: Cause, from: Instant, to: Instant) {
    self.cause = cause
    self.from = from
    self.to = to
  }

  /// The duration of the gap.
  ///
  /// ```swift
  /// let events = thermometer.subscribe("battery-level", SubscriptionOptions(onLinkLoss: .resume))
  ///   .flattenMap { $0 }
  /// let seen = events.map { event in
  ///   if case .gap(let gap) = event { "nothing for \(gap.lasted)" } else { "a value" }
  /// }
  /// ```
  public var lasted: Duration { to - from }

  /// The number of values that are known to be dropped.
  public var dropped: Int {
    switch cause {
    case .linkLost: 0
    case .overflow(let count), .output(let count): count
    }
  }
}

extension Signal where Value == NotificationEvent {
  /// The values without the gaps.
  ///
  /// ```swift
  /// let options = SubscriptionOptions(onLinkLoss: .resume)
  /// let values = thermometer.session {
  ///   thermometer.subscribe("battery-level", options).flattenMap { $0.notifications }
  /// }
  /// ```
  public var notifications: Signal<NotifiedValue> { compactMap(\.notification) }
}

/// The value of one notification or indication, and when it arrived.
///
/// The clock is the loop's. A value from an acquired socket is timestamped when the socket is read;
/// a value that bluetoothd signals on the bus, when the loop dispatches the signal. Neither depends
/// on how fast the values are consumed.
public struct NotifiedValue: Hashable, Sendable {
  /// The value, in bytes.
  public let value: [UInt8]
  /// The time of arrival, on the loop's clock.
  public let at: Instant

  /// A value that arrived at an instant.
  public init(value: [UInt8], at: Instant) {
    self.value = value
    self.at = at
  }
}

/// The ATT operation of a write.
public enum WriteKind: String, Hashable, Sendable, CaseIterable {
  /// Selected by the properties of the characteristic.
  case automatic
  /// Write with response (Write Request).
  case request
  /// Write without response (Write Command).
  case command
  /// Prepared, verified by echo, then executed.
  case reliable
}
