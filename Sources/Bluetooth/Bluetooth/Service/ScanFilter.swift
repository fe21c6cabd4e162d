// The conditions of a scan.

/// The devices that a scan reports. Every given condition must hold.
///
/// BlueZ gets the conditions that it can filter by; its results are checked here again, because it
/// combines the filters of all clients with "or", and every client sees every result.
///
/// - Source: BlueZ 5.66, `doc/adapter-api.txt` (SetDiscoveryFilter).
public struct ScanFilter: Hashable, Sendable {
  /// The device; nil for any.
  public var target: DeviceTarget?
  /// A pattern for the name, with `*` and `?`.
  public var name: String?
  /// Whether the case of `name` counts.
  public var isExact: Bool
  /// Only the device with this address.
  public var address: BluetoothAddress?
  /// Any of these services; empty means all devices.
  public var services: [ServiceSelector]
  /// The minimum RSSI, in dBm.
  public var rssi: Int?
  /// Only devices with this manufacturer data.
  public var manufacturer: ManufacturerPattern?
  /// Only devices with this service data.
  public var serviceData: ServiceDataPattern?
  /// Whether the scan is passive: it sends no scan requests, so that devices are not woken and
  /// names in scan responses are not received.
  public var isPassive: Bool

  /// A filter that all given parts must match; without arguments, every device does.
  ///
  /// ```swift
  /// let belts = ScanFilter(name: "HRM-*", services: ["heart-rate"], rssi: -70)
  /// let nearby = thermometer.scan(belts).take(2).collect()
  /// ```
  public init(
    target: DeviceTarget? = nil, name: String? = nil, isExact: Bool = false,
    address: BluetoothAddress? = nil, services: [ServiceSelector] = [], rssi: Int? = nil,
    manufacturer: ManufacturerPattern? = nil, serviceData: ServiceDataPattern? = nil,
    isPassive: Bool = false
  ) {
    self.target = target
    self.name = name
    self.isExact = isExact
    self.address = address
    self.services = services
    self.rssi = rssi
    self.manufacturer = manufacturer
    self.serviceData = serviceData
    self.isPassive = isPassive
  }

  /// Whether a device is reported.
  ///
  /// A connected device does not advertise and has no RSSI; it meets any bound.
  ///
  /// ```swift
  /// let isNear = ScanFilter(rssi: -70).matches(advertisement)
  /// ```
  public func matches(_ device: Advertisement) -> Bool {
    if let target, !target.matches(device) { return false }
    if let nameTarget, !nameTarget.matches(device) { return false }
    if let address, device.address != address { return false }
    if let rssi, !device.isConnected, (device.rssi ?? Int.min) < rssi { return false }
    if let manufacturer, !manufacturer.matches(device) { return false }
    if let serviceData, !serviceData.matches(device) { return false }
    return services.isEmpty || services.contains { device.services.contains($0.uuid) }
  }

  private var nameTarget: DeviceTarget? { name.map { .name($0, exact: isExact) } }

  /// The prefixes that the names of all matching devices have, byte for byte: those of the name and
  /// of the target, as far as they have one. Without regard to case they end before the first letter.
  public var namePrefixes: [String] {
    [nameTarget, target].compactMap { target in
      guard case .name(let pattern, let exact)? = target else { return nil }
      let prefix = Glob.prefix(of: pattern, ignoringCase: !exact)
      return prefix.isEmpty ? nil : prefix
    }
  }

  /// The wanted addresses.
  public var addresses: [BluetoothAddress] {
    var addresses = address.map { [$0] } ?? []
    if case .address(let address)? = target { addresses.append(address) }
    return addresses
  }

  /// The wanted services, any of which is sufficient; empty means all devices.
  public var wantedServices: [BluetoothUUID] {
    if case .service(let service)? = target, services.isEmpty { return [service.uuid] }
    return services.map(\.uuid)
  }
}

extension ScanFilter {
  /// The devices that are not reported, as a clause after the number of those that are.
  ///
  /// - Parameter devices: All that are in range.
  /// - Returns: `; in range: 'Lamp-2' (C0:FF:EE:00:01:01, -81 dBm: weaker than -70 dBm)`.
  public func others(among devices: [Advertisement]) -> String {
    let others = devices.filter { !matches($0) }
    guard !others.isEmpty else { return "; no other device is in range" }
    return Advertisement.listing(others) { difference(from: $0) }
  }

  /// The reason why a device is not reported; nil if it is.
  public func difference(from device: Advertisement) -> String? {
    if matches(device) { return nil }
    var reasons = [target, name.map { .name($0, exact: isExact) }, address.map { .address($0) }]
      .compactMap { $0?.difference(from: device) }
    if let rssi, !device.isConnected, (device.rssi ?? Int.min) < rssi {
      reasons.append("weaker than \(rssi) dBm")
    }
    if let manufacturer, !manufacturer.matches(device) {
      reasons.append("no manufacturer data \(manufacturer)")
    }
    if let serviceData, !serviceData.matches(device) {
      reasons.append("no service data \(serviceData)")
    }
    if !services.isEmpty, !services.contains(where: { device.services.contains($0.uuid) }) {
      let names = services.map { "\($0)" }.joined(separator: " or ")
      reasons.append("does not advertise \(names)")
    }
    return reasons.joined(separator: ", ")
  }
}
