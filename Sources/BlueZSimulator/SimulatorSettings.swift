// The delays and limits of the simulated bluetoothd.

public import BlueZInterfaces

/// Every timer of bluetoothd that a client can notice. The defaults are BlueZ's own.
///
/// - Source: BlueZ 5.66, at the constants that each property names.
public struct SimulatorSettings: Hashable, Sendable {
  /// From a Disconnect to the end of the link (`src/device.c` DISCONNECT_TIMER).
  public var disconnectDelay = Duration.seconds(2)
  /// How long a device that nobody connected to stays known after it was last heard
  /// (`src/main.conf` TemporaryTimeout).
  public var temporaryTimeout = Duration.seconds(30)
  /// How long a connection to an absent device is tried: seen 40 s.
  public var connectTimeout = Duration.seconds(40)
  /// How long a peer may take to answer a request before the link is dropped (`src/shared/att.c`).
  public var attTimeout = Duration.seconds(30)
  /// How long an agent may take to answer (`src/agent.c` REQUEST_TIMEOUT).
  public var agentTimeout = Duration.seconds(60)
  /// How long a device waits for the host while pairing before it drops the link: seen 30 s (Core
  /// 5.4, Vol 3, Part H §3.4).
  public var pairingTimeout = Duration.seconds(30)
  /// How long the person at a device takes to type what is shown.
  public var personDelay = Duration.seconds(2)
  /// From a change of power to its effect.
  public var powerDelay = Duration.milliseconds(10)
  /// The smallest change of signal strength that is told while no client has a filter, in dB
  /// (`src/device.c` RSSI_THRESHOLD).
  public var rssiThreshold = 8
  /// The power in dBm with which the adapter transmits on a link.
  public var transmitPower = 0
  /// Whether the delays of the devices' links are kept; without them every answer comes at once.
  public var keepsLinkDelays = true
  /// The release that is played, where releases differ.
  public var version = BlueZVersion.recorded
  /// Whether clients may listen without a scan: an experimental interface, off by default.
  public var offersMonitors = false

  /// The adapters at the start. The first is the one that is pulled out and switched off.
  public var adapters = [AdapterSettings()]

  public init() {}

  /// No delay anywhere but where time itself is asked for: advertising intervals, behaviours, and
  /// waits for peers that never answer.
  public static let instant: SimulatorSettings = {
    var settings = SimulatorSettings()
    settings.disconnectDelay = .zero
    settings.powerDelay = .zero
    settings.keepsLinkDelays = false
    return settings
  }()

  /// A delay of a link, if those are kept.
  func link(_ delay: Duration) -> Duration { keepsLinkDelays ? delay : .zero }
}
