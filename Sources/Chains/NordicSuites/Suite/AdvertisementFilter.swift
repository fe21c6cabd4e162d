// The filter of a suite's scan.

import Bluetooth

/// Conditions on an advertisement, all of which must hold.
struct AdvertisementFilter: Hashable, Sendable {
  var address: BluetoothAddress?
  /// The minimum RSSI, in dBm.
  var rssi: Int?
  /// The exact name.
  var name: String?
  /// A pattern in the advertised data, as upper-case hexadecimal digits.
  var data: DataPattern?
  /// The device that a target is bound to.
  var target: String?

  /// Whether a received advertisement matches; nil if that cannot be known.
  ///
  /// - Parameter bound: The address of the filter's target; nil without one.
  func matches(_ device: Advertisement, bound: BluetoothAddress?) -> Bool? {
    // bluetoothd also lists cached and connected devices. They have no RSSI and were not received.
    guard let strength = device.rssi else { return false }
    if let address, device.address != address { return false }
    if target != nil, device.address != bound { return false }
    if let rssi, strength < rssi { return false }
    if let name, device.name != name { return false }
    guard let data else { return true }
    return data.isFound(in: device)
  }
}

extension DataPattern {
  /// Whether the pattern is in the advertised data of a device; nil if that depends on a part that is not known.
  func isFound(in device: Advertisement) -> Bool? {
    let known = device.packetText
    if device.advertisedServices != nil { return isFound(in: known) }
    // The unknown services come first. A match after them does not depend on them.
    return isFound(in: "?" + known) ? true : nil
  }
}
