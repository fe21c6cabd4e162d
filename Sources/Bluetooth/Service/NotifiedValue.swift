// A value that a device sent in a notification or an indication.

public import Signals

/// The value of one notification or indication, and when it arrived.
///
/// The clock is the loop's. A value of an acquired socket is stamped when the socket is read; a value
/// that bluetoothd signals on the bus is stamped when the loop dispatches the signal. Neither depends
/// on how fast the values are taken.
public struct NotifiedValue: Hashable, Sendable {
  public let value: [UInt8]
  /// When it arrived, on the loop's clock.
  public let at: Instant

  public init(value: [UInt8], at: Instant) {
    self.value = value
    self.at = at
  }
}

/// The name until now. It clashed with `Foundation.Notification`.
@available(*, deprecated, renamed: "NotifiedValue")
public typealias Notification = NotifiedValue

/// How a value is written.
public enum WriteKind: String, Hashable, Sendable, CaseIterable {
  /// As the characteristic's properties suggest.
  case automatic
  /// With an answer from the device.
  case request
  /// Without an answer.
  case command
  /// Prepared, checked by echo, then executed.
  case reliable
}
