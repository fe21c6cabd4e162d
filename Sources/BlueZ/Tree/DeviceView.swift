// The devices in the tree: as advertisements, and as targets of an operation.

import BlueZInterfaces
import Bluetooth
import DBus

extension ObjectTree {
  /// The devices of an adapter, in order of address.
  func devices(of adapter: ObjectPath) -> [ObjectPath] {
    paths(with: Device1.interface, below: adapter)
  }

  /// Whether bluetoothd says that a device's services are resolved.
  func isResolved(_ device: ObjectPath) -> Bool {
    property(Device1.Property.servicesResolved, Device1.interface, at: device)?.asBool ?? false
  }

  /// What is known of a device, in the form of an advertisement; nil when it is not there.
  func advertisement(of device: ObjectPath) -> Advertisement? {
    guard let properties = properties(Device1.interface, at: device),
      let text = properties[Device1.Property.address]?.asString,
      let address = BluetoothAddress(text)
    else { return nil }
    let adapter = properties[Device1.Property.adapter]?.asObjectPath
    let adapterName = adapter?.text.split(separator: "/").last.map(String.init)
    let uuids = properties[Device1.Property.uuids]?.asStrings ?? []
    return Advertisement(
      address: address,
      addressType: properties[Device1.Property.addressType]?.asString
        .flatMap { AddressType(rawValue: $0) } ?? .public,
      name: properties[Device1.Property.name]?.asString,
      alias: properties[Device1.Property.alias]?.asString ?? text,
      rssi: properties[Device1.Property.rssi]?.asInt16.map { Int($0) },
      txPower: properties[Device1.Property.txPower]?.asInt16.map { Int($0) },
      services: uuids.compactMap { BluetoothUUID($0) },
      manufacturerData: Self.manufacturerData(in: properties),
      serviceData: Self.serviceData(in: properties),
      isConnected: isConnected(device),
      isPaired: properties[Device1.Property.paired]?.asBool ?? false,
      adapter: adapterName ?? ""
    )
  }

  private static func manufacturerData(
    in properties: PropertyMap
  ) -> [(company: UInt16, data: [UInt8])] {
    guard case .dictionary(let entries)? = properties[Device1.Property.manufacturerData]?.unwrapped
    else { return [] }
    return entries.entries.compactMap { entry in
      guard let company = entry.key.asUInt16, let data = entry.value.asBytes else { return nil }
      return (company, data)
    }
  }

  private static func serviceData(
    in properties: PropertyMap
  ) -> [(service: BluetoothUUID, data: [UInt8])] {
    guard let entries = properties[Device1.Property.serviceData]?.asPropertyMap else { return [] }
    return entries.entries.compactMap { entry in
      guard let uuid = BluetoothUUID(entry.name), let data = entry.value.asBytes else {
        return nil
      }
      return (uuid, data)
    }
  }

  /// The device of an adapter that a target means; nil when none is known.
  ///
  /// Of several, the connected ones come before those that discovery sees, the nearest of these
  /// first, and then those that are only remembered; at last the lowest address decides.
  func device(_ target: DeviceTarget, of adapter: ObjectPath) -> ObjectPath? {
    if case .address(let address) = target {
      let path = BlueZPath.device(address, of: adapter)
      if has(Device1.interface, at: path) { return path }
    }
    var best: (path: ObjectPath, rank: Int)?
    for path in devices(of: adapter) {
      guard let seen = advertisement(of: path), target.matches(seen) else { continue }
      let rank = seen.isConnected ? 1000 : seen.rssi ?? -1000
      if best.map({ rank > $0.rank }) ?? true { best = (path, rank) }
    }
    return best?.path
  }

  /// The same for who has looked before and found none: among many devices, only the one that has
  /// changed since is looked at.
  ///
  /// - Parameter count: ``ObjectTree/deviceChanges`` then; nil: it is the first look.
  func device(
    _ target: DeviceTarget,
    of adapter: ObjectPath,
    unseenAt count: UInt64?
  ) -> ObjectPath? {
    guard let count, deviceChanges - count <= 1 else { return device(target, of: adapter) }
    guard deviceChanges > count, let lastDevice, lastDevice.parent == adapter,
      let changed = advertisement(of: lastDevice), target.matches(changed)
    else { return nil }
    return device(target, of: adapter)
  }
}
