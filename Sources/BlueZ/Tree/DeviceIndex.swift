// The devices in the tree by address and by name, so that one of many is found without a search.
//
// A pure value, kept by ObjectTree. DeviceView.swift decides whether a device matches; this only
// returns candidates.

import BlueZInterfaces
import Bluetooth
import DBus

/// The devices with an address or a name.
struct DeviceIndex: Sendable {
  /// By the address in the path, and by the reported one: the identity address behind a private
  /// address may be known.
  private var addresses: [BluetoothAddress: SortedPaths] = [:]
  /// By the name in lower case: names match without regard to case.
  private var names: [String: SortedPaths] = [:]

  /// Whether a change affects a property that devices are found by.
  static func isConcerned(by change: TreeChange) -> Bool {
    change.concerns(Device1.address) || change.concerns(Device1.name)
  }

  /// The properties of a device have changed; nil before it was added, and after it was removed.
  mutating func change(_ path: ObjectPath, from old: PropertyMap?, to new: PropertyMap?) {
    let before = old?[Device1.address]
    let after = new?[Device1.address]
    if before != after || (old == nil) != (new == nil) {
      for address in Self.addresses(path, before) { addresses[address]?.remove(path) }
      if new != nil {
        for address in Self.addresses(path, after) {
          addresses[address, default: SortedPaths()].insert(path)
        }
      }
      for address in Self.addresses(path, before) where addresses[address]?.count == 0 {
        addresses[address] = nil
      }
    }
    let (oldName, newName) = (
      old?[Device1.name]?.lowercased(), new?[Device1.name]?.lowercased()
    )
    guard oldName != newName else { return }
    if let oldName {
      names[oldName]?.remove(path)
      if names[oldName]?.count == 0 { names[oldName] = nil }
    }
    if let newName { names[newName, default: SortedPaths()].insert(path) }
  }

  private static func addresses(_ path: ObjectPath, _ reported: BluetoothAddress?)
    -> [BluetoothAddress]
  {
    var addresses: [BluetoothAddress] = []
    if let address = BlueZPath.address(ofDevice: path) { addresses.append(address) }
    if let reported, !addresses.contains(reported) { addresses.append(reported) }
    return addresses
  }

  /// The candidates for a target, in order of path; nil when every device has to be checked.
  func devices(_ target: DeviceTarget) -> [ObjectPath]? {
    switch target {
    case .address(let address): Array(addresses[address] ?? SortedPaths())
    case .name(let name, _):
      name.contains { $0 == "*" || $0 == "?" }
        ? nil : Array(names[name.lowercased()] ?? SortedPaths())
    case .seen(let address, let name):
      Set(addresses[address] ?? SortedPaths()).union(names[name.lowercased()] ?? SortedPaths())
        .sorted()
    case .service, .alias, .any: nil
    }
  }
}
