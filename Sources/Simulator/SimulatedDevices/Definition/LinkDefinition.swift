// The normal behaviour of the link to a simulated device.

public import Bluetooth

/// The sizes and delays of a link. The device only states them: its caller implements the delays.
public struct LinkDefinition: Sendable, Hashable {
  /// The ATT MTU that the device accepts, in octets.
  public var mtu: Int
  /// The time from the connection request to the connection.
  public var connectTime: Duration
  /// The time from the connection to the end of service discovery.
  public var discoveryTime: Duration
  /// The time of an attribute operation, from request to response.
  public var latency: Duration
  /// The maximum additional time of an operation, drawn from the seed for each.
  public var latencySpread: Duration
  /// The shortest connection interval that the device agrees to.
  public var shortestInterval = Duration.microseconds(7500)
  /// The PHYs that the device agrees to. A connection keeps its PHY when the host wants another one.
  public var phys = PHY.allCases
  /// The time and the capacity of connection events; nil: a link carries any number of values at
  /// once.
  public var speed: LinkSpeed?

  /// Creates a link; see the properties.
  public init(
    mtu: Int = 517, connectTime: Duration = .milliseconds(120),
    discoveryTime: Duration = .milliseconds(60), latency: Duration = .milliseconds(15),
    latencySpread: Duration = .zero, speed: LinkSpeed? = nil
  ) {
    self.mtu = mtu
    self.connectTime = connectTime
    self.discoveryTime = discoveryTime
    self.latency = latency
    self.latencySpread = latencySpread
    self.speed = speed
  }
}
