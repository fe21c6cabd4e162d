// The definition of a scenario, as data: host, devices, seed and faults.

package import Bluetooth

/// A host, nearby devices, and faults.
public struct ScenarioDefinition: Sendable, Hashable {
  /// The title; empty for a file that only defines devices.
  public var name: String
  /// The default seed; nil: none.
  public var seed: UInt64?
  /// The host: its adapters and its bluetoothd.
  public var host: HostDefinition
  /// The devices; faults of operations are among their rules.
  public var devices: [DeviceDefinition]
  /// The faults of the world.
  public var faults: [ScheduledFault]

  /// Creates a scenario; see the properties.
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

  /// The names that the devices give attributes, and their descriptions of the values, for output. A
  /// UUID or a name with several meanings among them is left out, and so is a name that is the assigned
  /// one of another UUID.
  package var attributeNames: AttributeNames {
    var names: [BluetoothUUID: Set<String>] = [:]
    var uuids: [String: Set<BluetoothUUID>] = [:]
    let entries = devices.flatMap(\.names.withoutShadows.entries)
    for entry in entries {
      names[entry.uuid, default: []].insert(entry.name)
      uuids[entry.name.lowercased(), default: []].insert(entry.uuid)
    }
    let kept = entries.filter {
      names[$0.uuid]?.count == 1 && uuids[$0.name.lowercased()]?.count == 1
    }
    var described: [BluetoothUUID: Set<ValueDescription>] = [:]
    for description in devices.flatMap(\.names.descriptions) {
      guard case .attribute(let uuid) = description.source else { continue }
      described[uuid, default: []].insert(description)
    }
    let descriptions = kept.compactMap { entry in
      described[entry.uuid].flatMap { $0.count == 1 ? $0.first : nil }
    }
    return AttributeNames(kept, descriptions)
  }

  /// Merges several scenarios: the first given seed and host apply.
  public static func joined(_ all: [ScenarioDefinition]) -> ScenarioDefinition {
    ScenarioDefinition(
      name: all.first { !$0.name.isEmpty }?.name ?? "", seed: all.compactMap(\.seed).first,
      host: all.first { $0.host != HostDefinition() }?.host ?? HostDefinition(),
      devices: all.flatMap(\.devices), faults: all.flatMap(\.faults)
    )
  }
}

/// The simulated host: its adapters, release of BlueZ, and delays. nil means the default.
public struct HostDefinition: Sendable, Hashable {
  /// The simulated release, such as 5.83.
  public var release: Release?
  /// The adapters, of which faults affect the first; empty: one default adapter.
  public var adapters: [AdapterSettings] = []
  /// Whether clients may register advertisement monitors (passive scanning).
  public var offersMonitors = false
  /// The time from the disconnect request to the end of the link.
  public var disconnectDelay: Duration?
  /// The limit for a response of a device.
  public var answerTimeout: Duration?

  /// Creates the default host: one adapter, and the delays of bluetoothd.
  public init() {}

  /// A release of BlueZ.
  public struct Release: Sendable, Hashable {
    /// The number before the dot.
    public var major: Int
    /// The number after the dot.
    public var minor: Int

    /// Creates a release, such as 5.66.
    public init(_ major: Int, _ minor: Int) {
      self.major = major
      self.minor = minor
    }

    /// Parses a release such as `5.83`.
    public init?(written text: String) {
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 2, let major = Int(parts[0]), let minor = Int(parts[1]),
        (0...99).contains(major), (0...999).contains(minor)
      else { return nil }
      self.init(major, minor)
    }
  }
}
