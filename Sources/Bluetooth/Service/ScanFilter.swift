// What a scan is for.

/// Which devices a scan reports. Everything given has to hold.
public struct ScanFilter: Hashable, Sendable {
  public let target: DeviceTarget?
  /// Any of these; none means all.
  public let services: [BluetoothUUID]
  /// The weakest signal, in dBm.
  public let rssi: Int?

  public init(target: DeviceTarget? = nil, services: [BluetoothUUID] = [], rssi: Int? = nil) {
    self.target = target
    self.services = services
    self.rssi = rssi
  }

  /// Whether a device is to be reported.
  public func matches(_ device: Advertisement) -> Bool {
    if let target, !target.matches(device) { return false }
    if let rssi, (device.rssi ?? Int.min) < rssi { return false }
    return services.isEmpty || services.contains { device.services.contains($0) }
  }
}
