// The delays and limits of the simulated bluetoothd.

public import BlueZInterfaces
public import SimulatedDevices

/// Every timer of bluetoothd that a client can observe. The defaults are BlueZ's own.
///
/// - Source: BlueZ 5.66, at the constants that each property names.
public struct SimulatorSettings: Hashable, Sendable {
  /// From Disconnect to the end of the connection (`src/device.c` DISCONNECT_TIMER).
  public var disconnectDelay = Duration.seconds(2)
  /// How long a device that was never connected stays known after it was last seen (`src/main.conf`
  /// TemporaryTimeout).
  public var temporaryTimeout = Duration.seconds(30)
  /// How long a connection attempt to an absent device lasts: seen 40 s.
  public var connectTimeout = Duration.seconds(40)
  /// How long a peer may take to respond before the connection is dropped (`src/shared/att.c`).
  public var attTimeout = Duration.seconds(30)
  /// How long an agent may take to reply (`src/agent.c` REQUEST_TIMEOUT).
  public var agentTimeout = Duration.seconds(60)
  /// How long a device waits for the host during pairing before it disconnects: seen 30 s (Core
  /// 5.4, Vol 3, Part H §3.4).
  public var pairingTimeout = Duration.seconds(30)
  /// How long the person at a device takes to type a passkey.
  public var personDelay = Duration.seconds(2)
  /// From a change of power to its effect.
  public var powerDelay = Duration.milliseconds(10)
  /// The smallest change of RSSI that is announced while no client has a filter, in dB
  /// (`src/device.c` RSSI_THRESHOLD).
  public var rssiThreshold = 8
  /// The TX power in dBm of the adapter on a connection.
  public var transmitPower = 0
  /// Whether the delays of the devices' connections apply; without them every response arrives at
  /// once.
  public var keepsLinkDelays = true
  /// The simulated release, where releases differ.
  public var version = BlueZVersion.recorded
  /// Whether clients can scan passively: an experimental interface, off by default.
  public var offersMonitors = false

  /// The initial adapters. The first is the one that is unplugged and powered off.
  public var adapters = [AdapterSettings()]

  /// The delays of bluetoothd.
  ///
  /// ```swift
  /// var settings = SimulatorSettings()
  /// settings.connectTimeout = .seconds(5)
  /// let world = try SimulatedWorld(.file("thermometer.yaml"), settings: settings)
  /// ```
  public init() {}

  /// No delay except where time itself matters: advertising intervals, behaviours, and waits for
  /// peers that never respond.
  public static let instant: SimulatorSettings = {
    var settings = SimulatorSettings()
    settings.disconnectDelay = .zero
    settings.powerDelay = .zero
    settings.keepsLinkDelays = false
    return settings
  }()

  /// A delay of a connection, if these apply.
  func link(_ delay: Duration) -> Duration { keepsLinkDelays ? delay : .zero }
}
