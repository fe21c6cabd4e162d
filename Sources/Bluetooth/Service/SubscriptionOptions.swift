// How a subscription takes its values, and what it does when they stop or come too fast.

/// What a subscriber asks for.
public struct SubscriptionOptions: Hashable, Sendable {
  /// The way of the values from bluetoothd.
  public enum Delivery: String, Hashable, Sendable, CaseIterable {
    /// As signals of the bus, after `StartNotify`. Any number of programs may listen so.
    case signals
    /// Through a socket of this program's own, after `AcquireNotify`. For many values a second;
    /// nobody else may listen meanwhile, and indications cannot be had so.
    case acquire
  }

  /// What happens to the stream when the link falls.
  public enum LossPolicy: String, Hashable, Sendable, CaseIterable {
    /// It fails with `link-lost`.
    case fail
    /// The device is connected and subscribed again, within the deadline of whoever listens; the
    /// stream goes on after a ``NotificationEvent/gap(_:)``.
    case resume
  }

  /// What happens to a value for which the buffer has no place.
  public enum OverflowRule: String, Hashable, Sendable, CaseIterable {
    /// The stream fails with `BufferOverflow`, after the values that were buffered.
    case error
    /// The oldest buffered value gives place.
    case dropOldest = "drop-oldest"
    /// The new value is left out.
    case dropNewest = "drop-newest"
  }

  public var delivery: Delivery
  public var onLinkLoss: LossPolicy
  /// How many values may wait to be taken; from 1.
  public var buffer: Int
  public var overflow: OverflowRule

  /// The number of values that may wait when nobody says otherwise.
  public static let usualBuffer = 4096

  public init(
    delivery: Delivery = .signals,
    onLinkLoss: LossPolicy = .fail,
    buffer: Int = SubscriptionOptions.usualBuffer,
    overflow: OverflowRule = .error
  ) {
    self.delivery = delivery
    self.onLinkLoss = onLinkLoss
    self.buffer = max(1, buffer)
    self.overflow = overflow
  }
}
