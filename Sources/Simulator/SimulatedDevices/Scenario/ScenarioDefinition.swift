// A world to run in, as data: devices, a host, a seed, and what goes wrong.

/// Devices around a host, and the faults that affect them.
public struct ScenarioDefinition: Sendable, Hashable {
  /// What it is about; empty for a file that only defines devices.
  public var name: String
  /// Where its randomness comes from unless something else is asked for.
  public var seed: UInt64?
  /// The host: its adapters and its bluetoothd.
  public var host: HostDefinition
  /// With those faults among their rules that happen to operations.
  public var devices: [DeviceDefinition]
  /// The faults that happen to the world.
  public var faults: [ScheduledFault]

  /// A scenario; see the properties.
  ///
  /// ```swift
  /// let thermometers = try DeviceFile.load(path: "thermometer.yaml")
  /// let scenario = ScenarioDefinition(devices: thermometers)
  /// ```
  public init(
    name: String = "", seed: UInt64? = nil, host: HostDefinition = HostDefinition(),
    devices: [DeviceDefinition] = [], faults: [ScheduledFault] = []
  ) {
    self.name = name
    self.seed = seed
    self.host = host
    self.devices = devices
    self.faults = faults
  }

  /// One world of several: the first seed and host that are given count.
  public static func joined(_ all: [ScenarioDefinition]) -> ScenarioDefinition {
    ScenarioDefinition(
      name: all.first { !$0.name.isEmpty }?.name ?? "", seed: all.compactMap(\.seed).first,
      host: all.first { $0.host != HostDefinition() }?.host ?? HostDefinition(),
      devices: all.flatMap(\.devices), faults: all.flatMap(\.faults)
    )
  }
}

/// The simulated host: its adapters, its release of BlueZ, its time limits. nil is the default.
public struct HostDefinition: Sendable, Hashable {
  /// The release that is played, such as 5.83.
  public var release: Release?
  /// Its adapters, the first of the one that faults affect; empty: one as usual.
  public var adapters: [AdapterSettings] = []
  /// Whether clients may listen for advertisements without a scan.
  public var offersMonitors = false
  /// From the request to disconnect to the end of the link.
  public var disconnectDelay: Duration?
  /// How long an answer of a device is waited for.
  public var answerTimeout: Duration?

  /// The usual host: one adapter, and the delays of bluetoothd.
  public init() {}

  /// A release by its numbers.
  public struct Release: Sendable, Hashable {
    /// The number before the dot.
    public var major: Int
    /// The number after the dot.
    public var minor: Int

    /// A release, such as 5.66.
    public init(_ major: Int, _ minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Reads `5.83`.
    public init?(written text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let major = Int(parts[0]), let minor = Int(parts[1]),
        (0...99).contains(major), (0...999).contains(minor)
      else { return nil }
      self.init(major, minor)
    }
  }
}
