// The discovery filter of a client.

import BlueZInterfaces
import Bluetooth
import DBus

/// The filter of one client, checked as bluetoothd checks it.
///
/// - Source: BlueZ 5.66, `src/adapter.c` (parse_discovery_filter_dict, is_filter_match).
struct DiscoveryFilter: Hashable, Sendable {
  var services: [BluetoothUUID] = []
  var rssi: Int?
  var pathloss: Int?
  var wantsDuplicates = false
  /// The adapter must be discoverable while the client discovers.
  var wantsDiscoverable = false
  /// The filter accepts BR/EDR devices only.
  var isClassic = false
  /// A required prefix of the address or name.
  var pattern: String?
  /// bluetoothd connects to a device that the pattern selects.
  var connects = false

  /// Whether the filter has more than `Discoverable` and the adapter's transport.
  var hasCriteria: Bool {
    !services.isEmpty || rssi != nil || pathloss != nil || wantsDuplicates || isClassic
      || pattern != nil
  }

  /// Parses the argument of SetDiscoveryFilter; nil if bluetoothd refuses it.
  init?(_ options: PropertyMap, by version: BlueZVersion) {
    let keys = Adapter1.DiscoveryFilterKey.known(by: version)
    for (key, value) in options.entries {
      guard keys.contains(key), apply(key, value) else { return nil }
    }
    if rssi != nil, pathloss != nil { return nil }
  }

  private mutating func apply(_ key: String, _ value: DBusValue) -> Bool {
    switch key {
    case Adapter1.DiscoveryFilterKey.uuids:
      guard let texts = value.asStrings else { return false }
      services = texts.compactMap { BluetoothUUID($0) }
      return services.count == texts.count
    case Adapter1.DiscoveryFilterKey.rssi:
      rssi = value.asInt16.map { Int($0) }
      return rssi.map(Adapter1.filterRSSI.contains) ?? false
    case Adapter1.DiscoveryFilterKey.pathloss:
      pathloss = value.asUInt16.map { Int($0) }
      return pathloss.map { $0 <= 137 } ?? false
    case Adapter1.DiscoveryFilterKey.transport:
      let known = [
        Adapter1.Transport.auto, Adapter1.Transport.classic, Adapter1.Transport.lowEnergy,
      ]
      isClassic = value.asString == Adapter1.Transport.classic
      return value.asString.map(known.contains) ?? false
    case Adapter1.DiscoveryFilterKey.duplicateData:
      guard let wanted = value.asBool else { return false }
      wantsDuplicates = wanted
      return true
    case Adapter1.DiscoveryFilterKey.discoverable:
      guard let wanted = value.asBool else { return false }
      wantsDiscoverable = wanted
      return true
    case Adapter1.DiscoveryFilterKey.pattern:
      pattern = value.asString
      return pattern != nil
    case Adapter1.DiscoveryFilterKey.autoConnect:
      guard let wanted = value.asBool else { return false }
      connects = wanted
      return true
    default: return false
    }
  }

  /// True if the filter accepts a device.
  ///
  /// The kernel applies the RSSI filter: ``DiscoverySessions/weakest``.
  func accepts(
    services advertised: [BluetoothUUID], name: String?, address: BluetoothAddress
  ) -> Bool {
    if !services.isEmpty, !services.contains(where: advertised.contains) { return false }
    guard let pattern, !pattern.isEmpty else { return true }
    return selects(name: name, address: address, by: pattern)
  }

  /// Whether bluetoothd connects to a device when it first receives it.
  func connects(name: String?, address: BluetoothAddress) -> Bool {
    connects && pattern.map { selects(name: name, address: address, by: $0) } ?? false
  }

  private func selects(name: String?, address: BluetoothAddress, by pattern: String) -> Bool {
    "\(address)".utf8.starts(with: pattern.utf8)
      || (name?.utf8.starts(with: pattern.utf8) ?? false)
  }
}
