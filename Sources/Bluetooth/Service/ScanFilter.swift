// What a scan is for.

/// Which devices a scan reports. Everything given has to hold.
///
/// BlueZ is told what it can filter by itself; whatever it reports is checked here again, because
/// the filters of all clients are merged by "or" and every client sees every result.
///
/// - Source: BlueZ 5.66, `doc/adapter-api.txt` (SetDiscoveryFilter).
public struct ScanFilter: Hashable, Sendable {
  public var target: DeviceTarget?
  /// A pattern that the name fits, with `*` and `?`.
  public var name: String?
  public var address: BluetoothAddress?
  /// Any of these; none means all.
  public var services: [BluetoothUUID]
  /// The weakest signal, in dBm.
  public var rssi: Int?
  public var manufacturer: ManufacturerPattern?
  public var serviceData: ServiceDataPattern?
  /// Whether to listen only: no scan requests are sent, so that devices are not woken and names
  /// that come with scan responses are not heard.
  public var isPassive: Bool

  public init(
    target: DeviceTarget? = nil,
    name: String? = nil,
    address: BluetoothAddress? = nil,
    services: [BluetoothUUID] = [],
    rssi: Int? = nil,
    manufacturer: ManufacturerPattern? = nil,
    serviceData: ServiceDataPattern? = nil,
    isPassive: Bool = false
  ) {
    self.target = target
    self.name = name
    self.address = address
    self.services = services
    self.rssi = rssi
    self.manufacturer = manufacturer
    self.serviceData = serviceData
    self.isPassive = isPassive
  }

  /// Whether a device is to be reported.
  ///
  /// A device that is connected has no signal strength on the air, and passes any bound on it.
  public func matches(_ device: Advertisement) -> Bool {
    if let target, !target.matches(device) { return false }
    if let name, !(device.name.map { Glob(name).matches($0) } ?? false) { return false }
    if let address, device.address != address { return false }
    if let rssi, !device.isConnected, (device.rssi ?? Int.min) < rssi { return false }
    if let manufacturer, !manufacturer.matches(device) { return false }
    if let serviceData, !serviceData.matches(device) { return false }
    return services.isEmpty || services.contains { device.services.contains($0) }
  }

  /// Patterns for names that may be meant: those of the name and of the target.
  public var namePatterns: [String] {
    var patterns = name.map { [$0] } ?? []
    if case .name(let pattern)? = target { patterns.append(pattern) }
    return patterns
  }

  /// The addresses that are asked for.
  public var addresses: [BluetoothAddress] {
    var addresses = address.map { [$0] } ?? []
    if case .address(let address)? = target { addresses.append(address) }
    return addresses
  }

  /// The services that are asked for, any of which will do; none means all.
  public var wantedServices: [BluetoothUUID] {
    if case .service(let service)? = target { return services.isEmpty ? [service] : services }
    return services
  }
}

extension Glob {
  /// What every text that matches begins with.
  public static func prefix(of pattern: String) -> String {
    String(pattern.prefix { $0 != "*" && $0 != "?" })
  }
}
