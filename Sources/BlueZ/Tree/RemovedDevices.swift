// The devices that bluetoothd has removed from its objects: it keeps one that nobody connected to for half a minute.
//
// A pure value, kept by ObjectTree. It is for finding such a device again in a crowd: by its address alone.

import BlueZInterfaces
import Bluetooth
import DBus

/// The removed devices by address and name.
struct RemovedDevices: Sendable {
  /// With more, all are forgotten.
  private static let bound = 65_536

  /// What targets select each of them by.
  private var devices: [ObjectPath: PropertyMap] = [:]
  private var index = DeviceIndex()

  var count: Int { devices.count }

  /// A device was removed. One with a private address returns under another address, if at all.
  mutating func insert(_ path: ObjectPath, _ properties: PropertyMap) {
    guard let address = properties[Device1.address],
      address.isIdentity(properties[Device1.addressType] ?? .public)
    else { return }
    if devices.count == Self.bound { self = RemovedDevices() }
    var kept = PropertyMap()
    for property in [Device1.address.name, Device1.name.name] {
      if let value = properties[property] { kept[property] = value }
    }
    index.change(path, from: devices.updateValue(kept, forKey: path), to: kept)
  }

  /// A device was added again.
  mutating func remove(_ path: ObjectPath) {
    guard let kept = devices.removeValue(forKey: path) else { return }
    index.change(path, from: kept, to: nil)
  }

  /// The address of the only removed device of an adapter that a target selects by address or full
  /// name; nil when there are none or several, or when the target selects by something else.
  func address(of target: DeviceTarget, on adapter: ObjectPath) -> BluetoothAddress? {
    guard let found = index.devices(target)?.filter({ $0.parent == adapter }), found.count == 1
    else { return nil }
    if case .name(let name, exact: true) = target, devices[found[0]]?[Device1.name] != name {
      return nil
    }
    return BlueZPath.address(ofDevice: found[0])
  }
}
