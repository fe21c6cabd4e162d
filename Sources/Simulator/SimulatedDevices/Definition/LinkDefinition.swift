// How the link to a simulated device behaves while nothing fails.

/// The sizes and delays of a link. The device states them; whoever serves it keeps them.
public struct LinkDefinition: Sendable, Hashable {
  /// The ATT MTU that the device agrees to, in octets.
  public var mtu: Int
  /// From the request to connect to the link.
  public var connectTime: Duration
  /// From the link to the end of service discovery.
  public var discoveryTime: Duration
  /// One attribute operation, from the request to the answer.
  public var latency: Duration
  /// How much longer an operation may take, drawn from the seed for each.
  public var latencySpread: Duration

  /// A connection; see the properties.
  public init(
    mtu: Int = 517, connectTime: Duration = .milliseconds(120),
    discoveryTime: Duration = .milliseconds(60), latency: Duration = .milliseconds(15),
    latencySpread: Duration = .zero
  ) {
    self.mtu = mtu
    self.connectTime = connectTime
    self.discoveryTime = discoveryTime
    self.latency = latency
    self.latencySpread = latencySpread
  }
}
