// The speed of a link: how many packets it carries, and when.
//
// Packets are those of the Link Layer, with data length extension. LinkPace has the times at which
// the packets of one connection are sent.

public import Bluetooth

/// The connection interval of a link, and the packets that fit into it.
public struct LinkSpeed: Sendable, Hashable {
  /// The time between two connection events.
  public var interval: Duration
  /// The PHY with which a connection begins.
  public var phy: PHY
  /// The most packets that one side sends in a connection event; nil: as many as the PHY has time
  /// for.
  public var packets: Int?

  /// Creates the speed of a link.
  ///
  /// ```swift
  /// let speed = LinkSpeed(interval: .milliseconds(15), phy: .twoMegabit)
  /// print(speed.capacity)  // 10 packets
  /// ```
  public init(interval: Duration, phy: PHY = .oneMegabit, packets: Int? = nil) {
    self.interval = interval
    self.phy = phy
    self.packets = packets
  }

  /// The number of packets that one side sends in a connection event.
  public var capacity: Int {
    max(1, min(packets ?? .max, interval.periods(of: phy.exchange)))
  }

  /// The number of packets that carry a request, a command or a notification.
  ///
  /// - Parameter octets: The length of its value; 3 octets of ATT and 4 of L2CAP precede it.
  static func packets(forValue octets: Int) -> Int { (octets + 7 + mostOctets - 1) / mostOctets }

  /// The most octets in a packet.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §4.5.10.
  private static let mostOctets = 251
}

extension PHY {
  /// The time of a full packet, the empty packet that acknowledges it, and the pause after each. LE
  /// Coded has 8 symbols a bit: 125 kbit/s.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §2.1 and §2.2 (preamble, access address, CRC,
  ///   coding), §4.1.1 (150 µs between packets).
  fileprivate var exchange: Duration {
    switch self {
    case .oneMegabit: .microseconds(2088 + 150 + 80 + 150)
    case .twoMegabit: .microseconds(1048 + 150 + 44 + 150)
    case .coded: .microseconds(16_784 + 150 + 720 + 150)
    }
  }
}
