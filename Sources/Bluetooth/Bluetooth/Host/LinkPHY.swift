// The PHYs of LE connections.

/// A PHY: how the radio sends.
///
/// - Source: Bluetooth Core 5.4, Vol 6, Part A §3.
public enum PHY: String, Sendable, Hashable, CaseIterable {
  /// LE 1M, on which every connection begins: 1 Mbit/s.
  case oneMegabit = "1m"
  /// LE 2M: 2 Mbit/s.
  case twoMegabit = "2m"
  /// LE Coded: 500 or 125 kbit/s, over a longer range.
  case coded
}

/// The PHYs of a connection, one for each direction.
public struct LinkPHY: Hashable, Sendable, CustomStringConvertible {
  /// The PHY on which this host transmits.
  public let transmit: PHY
  /// The PHY on which the device transmits.
  public let receive: PHY

  /// One PHY for each direction.
  public init(transmit: PHY, receive: PHY) {
    self.transmit = transmit
    self.receive = receive
  }

  /// The same PHY in both directions.
  public init(_ both: PHY) { self.init(transmit: both, receive: both) }

  /// The name of the PHY, `2m`; `2m/1m` where they differ, first that on which this host transmits.
  public var description: String {
    transmit == receive ? transmit.rawValue : "\(transmit.rawValue)/\(receive.rawValue)"
  }
}
