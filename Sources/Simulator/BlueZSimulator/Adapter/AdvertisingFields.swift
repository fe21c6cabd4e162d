// An advertisement as AD structures, which monitors match against.

import Bluetooth
import SimulatedDevices

/// One AD structure.
///
/// - Source: Bluetooth Core Specification Supplement 11, Part A §1; types: Assigned Numbers §2.3.
struct AdvertisingField: Equatable, Sendable {
  let type: UInt8
  let octets: [UInt8]
}

extension AdvertisedData {
  /// The AD structures, without the length limit of a packet.
  var fields: [AdvertisingField] {
    // LE General Discoverable Mode, BR/EDR Not Supported.
    var fields = [AdvertisingField(type: 0x01, octets: [0x06])]
    for (type, isLong) in [(UInt8(0x03), false), (0x07, true)] {
      let listed = services.filter { ($0.short == nil) == isLong }
      guard !listed.isEmpty else { continue }
      fields.append(AdvertisingField(type: type, octets: listed.flatMap(\.airOctets)))
    }
    if let name { fields.append(AdvertisingField(type: 0x09, octets: Array(name.utf8))) }
    if let txPower {
      fields.append(AdvertisingField(type: 0x0a, octets: [UInt8(bitPattern: Int8(txPower))]))
    }
    if let appearance {
      fields.append(AdvertisingField(type: 0x19, octets: appearance.airOctets))
    }
    fields += serviceData.map { data in
      AdvertisingField(
        type: data.service.short == nil ? 0x21 : 0x16, octets: data.service.airOctets + data.octets
      )
    }
    fields += manufacturerData.map { data in
      AdvertisingField(type: 0xff, octets: data.company.airOctets + data.octets)
    }
    return fields
  }
}

extension UInt16 {
  /// Least significant octet first.
  fileprivate var airOctets: [UInt8] { [UInt8(self & 0xff), UInt8(self >> 8)] }
}
