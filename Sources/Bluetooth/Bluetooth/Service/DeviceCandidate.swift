// A device that matched when a device was looked for.

/// One of several devices that a ``DeviceTarget`` selects.
public struct DeviceCandidate: Hashable, Sendable, CustomStringConvertible {
  /// The address that the device was seen under.
  public let address: BluetoothAddress
  /// The name that the device gives itself.
  public let name: String?
  /// The RSSI in dBm; nil when the device is connected and does not advertise.
  public let rssi: Int?

  /// A device that matched.
  public init(address: BluetoothAddress, name: String?, rssi: Int?) {
    self.address = address
    self.name = name
    self.rssi = rssi
  }

  /// `'Lamp' (C0:FF:EE:00:00:05, -60 dBm)`.
  public var description: String {
    let name = name.map { "'\($0)'" } ?? "a device without a name"
    return "\(name) (\(address)\(rssi.map { ", \($0) dBm" } ?? ""))"
  }
}

extension DeviceCandidate {
  /// The number of devices that are listed.
  private static let listed = 6

  /// Devices for use in a sentence: `'Lamp' (…), 'Lamp' (…) and 3 more`.
  package static func list(_ devices: [DeviceCandidate]) -> String {
    let shown = devices.prefix(listed).map(\.description).joined(separator: ", ")
    return devices.count > listed ? "\(shown) and \(devices.count - listed) more" : shown
  }
}
