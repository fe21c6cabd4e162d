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
      address: address,
      addressType: properties[Device1.addressType] ?? .public,
      name: properties[Device1.name],
      alias: properties[Device1.alias] ?? "\(address)",
      rssi: properties[Device1.rssi].map { Int($0) },
      txPower: properties[Device1.txPower].map { Int($0) },
      services: properties[Device1.uuids] ?? [],
      advertisedServices: advertised[device],
      manufacturerData: properties[Device1.manufacturerData] ?? [],
      serviceData: properties[Device1.serviceData] ?? [],
      isConnected: isConnected(device),
      isPaired: properties[Device1.paired] ?? false,
      adapter: properties[Device1.adapter]?.lastElement ?? ""
    )
  }

  /// The device of an adapter that a target selects; nil when none is known.
  ///
  /// Of several, those with the case of the name as written come before the others. Of these, the
  /// connected ones come before those that discovery sees, the strongest of these first, and then
  /// those that are only cached; finally the lowest address decides.
  func device(_ target: DeviceTarget, of adapter: ObjectPath) -> ObjectPath? {
    let candidates = indexed(target)?.filter { $0.isBelow(adapter) } ?? devices(of: adapter)
    guard !candidates.isEmpty else { return nil }
    if case .address(let address) = target {
      let path = BlueZPath.device(address, of: adapter)
      if has(Device1.interface, at: path) { return path }
    }
    var best: (path: ObjectPath, rank: Int)?
    for path in candidates {
      guard let seen = advertisement(of: path), target.matches(seen) else { continue }
      let nearness = seen.isConnected ? 1000 : seen.rssi ?? -1000
      let rank = nearness + (target.exact.matches(seen) ? 10_000 : 0)
      if best.map({ rank > $0.rank }) ?? true { best = (path, rank) }
    }
    return best?.path
  }

  /// The same for a caller that has looked before and found none: when every device has to be
  /// checked, only the one that has changed since is.
  ///
  /// - Parameter count: ``ObjectTree/deviceChanges`` at that time; nil for the first look.
  func device(
    _ target: DeviceTarget,
    of adapter: ObjectPath,
    unseenAt count: UInt64?
  ) -> ObjectPath? {
    guard let count, deviceChanges - count <= 1, indexed(target) == nil else {
      return device(target, of: adapter)
    }
    guard deviceChanges > count, let lastDevice, lastDevice.parent == adapter,
      let changed = advertisement(of: lastDevice), target.matches(changed)
    else { return nil }
    return device(target, of: adapter)
  }
}
