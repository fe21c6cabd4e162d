// The devices in the tree: as advertisements, and as targets of an operation.

import BlueZInterfaces
import Bluetooth
import DBus

extension ObjectTree {
  /// The devices of an adapter, in order of address.
  func devices(of adapter: ObjectPath) -> [ObjectPath] {
    paths(with: Device1.interface, below: adapter)
  }

  /// Whether bluetoothd reports a device's services as resolved.
  func isResolved(_ device: ObjectPath) -> Bool {
    value(Device1.servicesResolved, at: device) ?? false
  }

  /// The properties of a device, in the form of an advertisement; nil when it is absent.
  func advertisement(of device: ObjectPath) -> Advertisement? {
    guard let properties = properties(Device1.interface, at: device),
      let address = properties[Device1.address]
    else { return nil }
    return Advertisement(
      address: address, addressType: properties[Device1.addressType] ?? .public,
      name: properties[Device1.name], alias: properties[Device1.alias] ?? "\(address)",
      rssi: properties[Device1.rssi].map { $0 == Device1.unknownRSSI ? -127 : Int($0) },
      txPower: properties[Device1.txPower].map { Int($0) },
      appearance: properties[Device1.appearance], services: properties[Device1.uuids] ?? [],
      advertisedServices: advertised[device],
      manufacturerData: properties[Device1.manufacturerData] ?? [],
      serviceData: properties[Device1.serviceData] ?? [], isConnected: isConnected(device),
      isPaired: properties[Device1.paired] ?? false,
      adapter: properties[Device1.adapter]?.lastElement ?? ""
    )
  }

  /// The device of an adapter that a target selects; nil when none is known.
  func device(_ target: DeviceTarget, of adapter: ObjectPath) -> ObjectPath? {
    matches(target, of: adapter).first?.path
  }

  /// The devices of an adapter that a target selects, the best first.
  ///
  /// Devices whose name has the same case come before the others. Of these, connected devices come
  /// first, then those that discovery receives, by signal strength, then cached ones; finally the
  /// lowest address decides.
  func matches(_ target: DeviceTarget, of adapter: ObjectPath) -> [DeviceMatch] {
    var candidates = indexed(target)?.filter { $0.isBelow(adapter) } ?? devices(of: adapter)
    guard !candidates.isEmpty else { return [] }
    // The identity address may be known instead of the one in the path.
    var named: ObjectPath?
    if case .address(let address) = target { named = BlueZPath.device(address, of: adapter) }
    if let named, has(Device1.interface, at: named) { candidates = [named] }
    let matches = candidates.compactMap { path -> DeviceMatch? in
      guard let seen = advertisement(of: path), path == named || target.matches(seen) else {
        return nil
      }
      return DeviceMatch(path: path, seen: seen, isExact: target.exact.matches(seen))
    }
    return matches.sorted { a, b in
      if a.isExact != b.isExact { return a.isExact }
      return a.nearness != b.nearness ? a.nearness > b.nearness : a.path < b.path
    }
  }

}
