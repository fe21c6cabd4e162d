// The advertisements that a scan of a suite wants.

public import Bluetooth

/// Conditions on an advertisement. All that are given must hold.
public struct AdvertisementFilter: Hashable, Sendable {
  public var address: BluetoothAddress?
  /// The minimum RSSI, in dBm.
  public var rssi: Int?
  /// The exact name.
  public var name: String?
  /// A pattern in the advertised data, as upper-case hexadecimal digits.
  public var data: DataPattern?
  /// The device that a target is bound to.
  public var target: String?

  public init(
    address: BluetoothAddress? = nil,
    rssi: Int? = nil,
    name: String? = nil,
    data: DataPattern? = nil,
    target: String? = nil
  ) {
    self.address = address
    self.rssi = rssi
    self.name = name
    self.data = data
    self.target = target
  }

  /// Whether a received advertisement matches; nil when that cannot be known.
  ///
  /// - Parameter bound: The address of the filter's target; nil without one.
  func matches(_ device: Advertisement, bound: BluetoothAddress?) -> Bool? {
    // bluetoothd lists a device without an RSSI because it is known or connected; it was not
    // received.
    guard let strength = device.rssi else { return false }
    if let address, device.address != address { return false }
    if target != nil, device.address != bound { return false }
    if let rssi, strength < rssi { return false }
    if let name, device.name != name { return false }
    guard let data else { return true }
    return AdvertisedData.isFound(data, in: device)
  }
}
