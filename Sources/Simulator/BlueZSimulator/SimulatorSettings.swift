// The delays and limits of the simulated bluetoothd.

public import BlueZInterfaces
public import SimulatedDevices

/// Every timer of bluetoothd that a client can observe. The defaults are BlueZ's own.
///
/// - Source: BlueZ 5.66, at the constants that each property names.
public struct SimulatorSettings: Hashable, Sendable {
  /// The time from Disconnect to the end of the connection (`src/device.c` DISCONNECT_TIMER).
  public var disconnectDelay = Duration.seconds(2)
  /// The time until a device that was never connected is removed, after its last advertisement
  /// (`src/main.conf` TemporaryTimeout).
  public var temporaryTimeout = Duration.seconds(30)
  /// The duration of a connection attempt to an absent device; 40 s was observed.
  public var connectTimeout = Duration.seconds(40)
  /// The limit for a peer's response, after which the connection is dropped (`src/shared/att.c`).
  public var attTimeout = Duration.seconds(30)
  /// The limit for an agent's reply (`src/agent.c` REQUEST_TIMEOUT).
  public var agentTimeout = Duration.seconds(60)
  /// The limit of a device for the host's response during pairing, after which it disconnects; 30 s
  /// was observed (Core 5.4, Vol 3, Part H §3.4).
  public var pairingTimeout = Duration.seconds(30)
  /// The time that a user of a device needs to type a passkey.
  public var personDelay = Duration.seconds(2)
  /// The time from a change of power to its effect.
  public var powerDelay = Duration.milliseconds(10)
  /// The smallest change of RSSI, in dB, that is announced while no client has a filter
  /// (`src/device.c` RSSI_THRESHOLD).
  public var rssiThreshold = 8
  /// The TX power of the adapter on a connection, in dBm.
  public var transmitPower = 0
  /// Whether connections have the delays of their devices; otherwise every response arrives at
  /// once.
  public var keepsLinkDelays = true
  /// The simulated release of BlueZ, where releases differ.
  public var version: BlueZVersion
  /// Whether bluetoothd offers advertisement monitors (passive scanning): an experimental
  /// interface, off by default.
  public var offersMonitors = false

  /// The initial adapters. The first one is the default for changes of power and plugging.
  public var adapters = [AdapterSettings()]

  /// Creates the settings with the delays of bluetoothd.
  ///
  /// ```swift
  /// var settings = SimulatorSettings()
  /// settings.connectTimeout = .seconds(5)
  /// let world = try SimulatedWorld(.file("thermometer.yaml"), settings: settings)
  /// ```
  ///
  /// - Parameter version: The release of BlueZ.
  public init(version: BlueZVersion = .usual) { self.version = version }

  /// Settings without delays, except where time itself matters: advertising intervals, generated
  /// values, and waits for peers that never respond.
  public static let instant: SimulatorSettings = {
    var settings = SimulatorSettings()
    settings.disconnectDelay = .zero
    settings.powerDelay = .zero
    settings.keepsLinkDelays = false
    return settings
  }()

  /// The delay of a connection; zero if ``keepsLinkDelays`` is false.
  func link(_ delay: Duration) -> Duration { keepsLinkDelays ? delay : .zero }
}
