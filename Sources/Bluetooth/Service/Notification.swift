// A value that a device sent by itself.

public import Signals

/// One notification or indication.
public struct Notification: Hashable, Sendable {
  public let value: [UInt8]
  /// When it arrived, on the loop's clock.
  public let at: Instant

  public init(value: [UInt8], at: Instant) {
    self.value = value
    self.at = at
  }
}

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
