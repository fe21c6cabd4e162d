// The parameters that central and peripheral agreed on for a connection.

/// The parameters of an LE connection.
///
/// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.5.1, §4.5.2.
public struct ConnectionParameters: Hashable, Sendable {
  /// The time between two connection events: 7.5 ms to 4 s, in steps of 1.25 ms.
  public let interval: Duration
  /// How many connection events the peripheral may skip.
  public let latency: Int
  /// How long the link may be silent before it counts as lost: 100 ms to 32 s.
  public let supervisionTimeout: Duration

  /// The parameters of a connection.
  public init(interval: Duration, latency: Int, supervisionTimeout: Duration) {
    self.interval = interval
    self.latency = latency
    self.supervisionTimeout = supervisionTimeout
  }
}
