// The devices in the tree by address and by name, so that one of many is found without a search.
//
// A pure value, kept by ObjectTree. DeviceView.swift decides whether a device matches; this only
// returns candidates.

import BlueZInterfaces
import Bluetooth
import DBus

/// The devices with an address or a name.
struct DeviceIndex: Sendable {
  private enum Key: Hashable {
    /// The address in the path, or the reported one: the identity address behind a private address
    /// may be known.
    case address(BluetoothAddress)
    /// In lower case: names match without regard to case.
    case name(String)
  }

  private var paths: [Key: SortedPaths] = [:]

  /// Whether a change affects a property that devices are found by.
  static func isConcerned(by change: TreeChange) -> Bool {
    change.concerns(Device1.address) || change.concerns(Device1.name)
  }

  /// The properties of a device have changed; nil before it was added, and after it was removed.
  mutating func change(_ path: ObjectPath, from old: PropertyMap?, to new: PropertyMap?) {
    let (before, after) = (Self.keys(path, old), Self.keys(path, new))
    for key in before.subtracting(after) {
      paths[key]?.remove(path)
      if paths[key]?.count == 0 { paths[key] = nil }
    }
    for key in after.subtracting(before) { paths[key, default: SortedPaths()].insert(path) }
  }

  private static func keys(_ path: ObjectPath, _ properties: PropertyMap?) -> Set<Key> {
    guard let properties else { return [] }
    let addresses = [BlueZPath.address(ofDevice: path), properties[Device1.address]]
    let name = (properties[Device1.name]?.lowercased()).map { Key.name($0) }
    return Set(addresses.compactMap { $0.map { .address($0) } } + (name.map { [$0] } ?? []))
  }

  /// The candidates for a target, in order of path; nil when every device has to be checked.
  func devices(_ target: DeviceTarget) -> [ObjectPath]? {
    func devices(_ key: Key) -> [ObjectPath] { Array(paths[key] ?? SortedPaths()) }
    switch target {
    case .address(let address): return devices(.address(address))
    case .name(let name, _):
      return name.contains { $0 == "*" || $0 == "?" } ? nil : devices(.name(name.lowercased()))
    case .seen(let address, let name):
      return Set(devices(.address(address)) + devices(.name(name.lowercased()))).sorted()
    case .service, .alias, .any: return nil
    }
  }
}
