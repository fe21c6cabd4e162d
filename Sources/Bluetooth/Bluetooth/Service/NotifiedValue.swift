// A value that a device sent in a notification or an indication.

public import Signals

/// The value of one notification or indication, and when it arrived.
///
/// The clock is the loop's. A value from an acquired socket is timestamped when the socket is read;
/// a value that bluetoothd signals on the bus, when the loop dispatches the signal. Neither depends
/// on how fast the values are consumed.
public struct NotifiedValue: Hashable, Sendable {
  /// The value, in bytes.
  public let value: [UInt8]
  /// When it arrived, on the loop's clock.
  public let at: Instant

  /// A value that arrived at an instant.
  public init(value: [UInt8], at: Instant) {
    self.value = value
    self.at = at
  }
}

/// How a value is written.
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
