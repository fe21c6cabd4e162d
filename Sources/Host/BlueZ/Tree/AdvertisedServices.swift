// The services that devices advertise, as far as bluetoothd reports them.
//
// A pure value, kept by ObjectTree.

import BlueZInterfaces
import Bluetooth
import DBus

/// The advertised services of the known devices.
///
/// bluetoothd reports the advertised services in `UUIDs` only until it has read the services of the
/// device. From then on, also after a disconnection, `UUIDs` are those that it has read. For a
/// stored device they are those of the store, until an advertisement lists some.
///
/// - Source: BlueZ 5.66, `src/device.c` (dev_property_get_uuids, device_add_eir_uuids).
struct AdvertisedServices: Sendable {
  private var services: [ObjectPath: [BluetoothUUID]] = [:]

  /// The services that a device has advertised; nil when they are not known.
  subscript(device: ObjectPath) -> [BluetoothUUID]? { services[device] }

  /// A device is known, with these properties.
  ///
  /// - Parameter isRead: Whether bluetoothd has read its services.
  mutating func added(_ device: ObjectPath, _ properties: PropertyMap, isRead: Bool) {
    let isStored = properties[Device1.paired] == true || properties[Device1.rssi] == nil
    if isRead || isStored { return }
    services[device] = properties[Device1.uuids] ?? []
  }

  /// Some properties of a device have changed.
  ///
  /// - Parameter isRead: Whether bluetoothd has read its services.
  mutating func changed(_ device: ObjectPath, _ properties: PropertyMap, isRead: Bool) {
    guard !isRead, let uuids = properties[Device1.uuids] else { return }
    services[device] = uuids
  }

  mutating func removed(_ device: ObjectPath) { services[device] = nil }

  /// Only these devices are left.
  mutating func keep(_ devices: some Sequence<ObjectPath>) {
    let kept = Set(devices)
    services = services.filter { kept.contains($0.key) }
  }
}
