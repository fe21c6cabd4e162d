// The patterns of an advertisement monitor, made from a scan filter.
//
// Pure. A monitor matches any of its patterns, a filter requires all its conditions: the narrowest
// condition becomes patterns, and the scan checks the rest.

import BlueZInterfaces
import Bluetooth

/// - Source: Bluetooth Core Specification Supplement 11, Part A §1; types: Assigned Numbers §2.3.
extension AdvertisementMonitor1.Pattern {
  init(_ start: Int, _ type: UInt8, _ octets: [UInt8]) {
    self.init(start: UInt8(clamping: start), type: type, octets: octets)
  }

  private enum DataType {
    static let flags: UInt8 = 0x01
    static let services16: [UInt8] = [0x02, 0x03]
    static let services128: [UInt8] = [0x06, 0x07]
    static let names: [UInt8] = [0x08, 0x09]
    static let serviceData16: UInt8 = 0x16
    static let serviceData128: UInt8 = 0x21
    static let manufacturer: UInt8 = 0xff
  }

  /// The maximum length of a pattern (`src/adv_monitor.c`: 31 with type and offset), in octets.
  private static let longest = 29

  /// The patterns for a filter; at least one.
  static func patterns(for filter: ScanFilter) -> [Self] {
    if let manufacturer = filter.manufacturer {
      let company = manufacturer.company
      let octets = [UInt8(company & 0xff), UInt8(company >> 8)] + manufacturer.prefix
      return [Self(0, DataType.manufacturer, clipped(octets))]
    }
    if let data = filter.serviceData {
      let type = data.service.uuid.short == nil ? DataType.serviceData128 : DataType.serviceData16
      return [Self(0, type, clipped(data.service.uuid.airOctets + data.prefix))]
    }
    let services = filter.wantedServices.flatMap { patterns(for: $0) }
    if !services.isEmpty { return services }
    if let prefix = filter.namePrefixes.first {
      return DataType.names.map { Self(0, $0, clipped(Array(prefix.utf8))) }
    }
    // Any device: one with a Flags field, as nearly all have.
    return [0x02, 0x04, 0x05, 0x06, 0x1a].map { Self(0, DataType.flags, [$0]) }
  }

  /// A service can be anywhere in the list of advertised services.
  private static func patterns(for service: BluetoothUUID) -> [Self] {
    guard service.short != nil else {
      return DataType.services128.map { Self(0, $0, service.airOctets) }
    }
    return DataType.services16.flatMap { type in
      (0..<6).map { Self($0 * 2, type, service.airOctets) }
    }
  }

  private static func clipped(_ octets: [UInt8]) -> [UInt8] { Array(octets.prefix(longest)) }
}
