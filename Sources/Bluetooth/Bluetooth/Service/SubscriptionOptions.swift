// The delivery of a subscription, and its rules for a lost connection and a full buffer.

/// The options of a subscription.
public struct SubscriptionOptions: Hashable, Sendable {
  /// A way in which bluetoothd delivers values.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// Bus signals, after `StartNotify`. Any number of programs can subscribe this way.
    case signals
    /// Through a socket of this program, after `AcquireNotify`. For many values a second; no other program
    /// can subscribe at the same time, and indications are not available.
    case acquire
  }

  /// The policy for a stream whose connection drops.
  public enum LossPolicy: String, Hashable, Sendable, CaseIterable {
    /// The stream fails with `link-lost`.
    case fail
    /// The device is connected and subscribed again, within the subscriber's deadline; the stream
    /// resumes after a ``NotificationEvent/gap(_:)``.
    case resume
  }

  /// The rule for a value that finds the buffer full.
  public enum OverflowRule: String, Hashable, Sendable, CaseIterable {
    /// The stream fails with `BufferOverflow`, after the buffered values.
    case error
    /// The oldest buffered value is dropped.
    case dropOldest = "drop-oldest"
    /// The new value is dropped.
    case dropNewest = "drop-newest"
  }

  /// The way in which the values reach this process.
  public var delivery: Delivery
  /// The policy for a connection that drops.
  public var onLinkLoss: LossPolicy
  /// The size of the buffer; at least 1.
  public var buffer: Int
  /// The rule for a full buffer.
  public var overflow: OverflowRule
  /// The time within which the subscription must become active; nil leaves that to the deadlines of the
  /// caller and the limits of the service.
  public var startLimit: Duration?

  /// The default size of the buffer.
  public static let defaultBuffer = 4096

  /// Options; see the properties.
  ///
  /// Without arguments: bus signals, a buffer of ``defaultBuffer`` values, and a failure when the
  /// connection drops or the buffer is full.
  ///
  /// ```swift
  /// let options = SubscriptionOptions(delivery: .acquire, buffer: 100, overflow: .dropOldest)
  /// let stream = thermometer.subscribe("heart-rate-measurement", options)
  /// ```
  public init(
    delivery: Delivery = .signals, onLinkLoss: LossPolicy = .fail,
    buffer: Int = SubscriptionOptions.defaultBuffer, overflow: OverflowRule = .error,
    startLimit: Duration? = nil
  ) {
    self.delivery = delivery
    self.onLinkLoss = onLinkLoss
    self.buffer = max(1, buffer)
    self.overflow = overflow
    self.startLimit = startLimit
  }
}
