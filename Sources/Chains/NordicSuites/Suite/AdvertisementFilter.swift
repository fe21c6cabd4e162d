// The filter of a suite's scan, and the advertised data that it searches.
//
// bluetoothd reports the parts of an advertisement, not the packet. So the order of the parts is fixed here,
// flags and appearance are missing, and so are the services if only those read from the device are known.

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
    return AdvertisedData.isFound(data, in: device)
  }
}

/// Advertised data, reassembled as in a packet.
enum AdvertisedData {
  /// Whether the data contains a pattern; nil if that depends on a part that is not known.
  static func isFound(_ pattern: DataPattern, in device: Advertisement) -> Bool? {
    let known = text(device)
    if device.advertisedServices != nil { return pattern.isFound(in: known) }
    // The unknown services come first. A match after them does not depend on them.
    return pattern.isFound(in: "?" + known) ? true : nil
  }

  /// Returns the data as upper-case hexadecimal digits.
  static func text(_ device: Advertisement) -> String {
    DecodedValue.octets(octets(device)).description.uppercased()
  }

  /// Returns the AD structures: services, name, TX power, service data, manufacturer data.
  ///
  /// - Source: Bluetooth Core Specification Supplement 11, Part A §1; types: Assigned Numbers §2.3.
  static func octets(_ device: Advertisement) -> [UInt8] {
    let services = device.advertisedServices ?? []
    let short = services.filter { $0.short != nil }
    let long = services.filter { $0.short == nil }
    var all: [UInt8] = []
    func add(_ type: UInt8, _ data: [UInt8]) {
      guard !data.isEmpty, data.count < 255 else { return }
      all += [UInt8(data.count + 1), type] + data
    }
    add(0x03, short.flatMap(\.airOctets))
    add(0x07, long.flatMap(\.airOctets))
    add(0x09, Array((device.name ?? "").utf8))
    if let power = device.txPower.flatMap({ Int8(exactly: $0) }) {
      add(0x0a, [UInt8(bitPattern: power)])
    }
    for (service, data) in device.serviceData {
      add(service.short == nil ? 0x21 : 0x16, service.airOctets + data)
    }
    for (company, data) in device.manufacturerData {
      add(0xff, [UInt8(company & 0xff), UInt8(company >> 8)] + data)
    }
    return all
  }
}
