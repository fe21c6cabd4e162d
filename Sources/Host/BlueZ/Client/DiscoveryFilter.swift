// The discovery filter of a scan, and the merged filter of several scans.
//
// Pure. bluetoothd has one filter per bus connection: it must include what any scan needs.

import BlueZInterfaces
import Bluetooth
import DBus

/// A filter that bluetoothd can apply. Each scan checks the results again.
///
/// - Source: BlueZ 5.66, `src/adapter.c` (parse_discovery_filter_dict, is_filter_match).
struct DiscoveryFilter: Equatable, Sendable {
  /// Any of these services advertised; empty for any device.
  var services: [BluetoothUUID] = []
  /// The minimum RSSI in dBm, as far as bluetoothd applies it.
  var rssi: Int?
  /// A prefix of address or name.
  var pattern: String?

  /// No filter.
  static let all = DiscoveryFilter()

  init(services: [BluetoothUUID] = [], rssi: Int? = nil, pattern: String? = nil) {
    self.services = services
    self.rssi = rssi
    self.pattern = pattern
  }

  /// The part of a scan filter that bluetoothd can apply.
  init(_ filter: ScanFilter) {
    services = filter.wantedServices
    rssi = filter.rssi.flatMap { Adapter1.filterRSSI.contains($0) ? $0 : nil }
    pattern = filter.addresses.first.map { "\($0)" } ?? filter.namePrefixes.first
  }

  /// A filter that includes everything that either filter includes.
  func merged(with other: DiscoveryFilter) -> DiscoveryFilter {
    var merged = DiscoveryFilter()
    if !services.isEmpty, !other.services.isEmpty {
      merged.services = services + other.services.filter { !services.contains($0) }
    }
    if let rssi, let bound = other.rssi { merged.rssi = min(rssi, bound) }
    if let pattern, let prefix = other.pattern {
      let common = zip(pattern, prefix).prefix { $0 == $1 }.map(\.0)
      merged.pattern = common.isEmpty ? nil : String(common)
    }
    return merged
  }

  /// The argument of SetDiscoveryFilter.
  ///
  /// It always has a criterion, at least an RSSI that every device has: from 5.67 on, a filter that
  /// only names the transport counts as none on an adapter without BR/EDR, and a device that is
  /// received again and again at the same strength would then not be signalled.
  ///
  /// - Source: BlueZ 5.67, `src/adapter.c` (merge_discovery_filters); recorded from bluetoothd 5.82.
  var properties: PropertyMap {
    var properties: PropertyMap = [
      Adapter1.DiscoveryFilterKey.transport: .string(Adapter1.Transport.lowEnergy),
      Adapter1.DiscoveryFilterKey.duplicateData: .boolean(false),
    ]
    if !services.isEmpty {
      properties[Adapter1.DiscoveryFilterKey.uuids] = .strings(services.map(\.text))
    }
    let weakest = services.isEmpty && pattern == nil ? Adapter1.filterRSSI.lowerBound : nil
    if let rssi = rssi ?? weakest {
      properties[Adapter1.DiscoveryFilterKey.rssi] = .int16(Int16(rssi))
    }
    if let pattern { properties[Adapter1.DiscoveryFilterKey.pattern] = .string(pattern) }
    return properties
  }
}
