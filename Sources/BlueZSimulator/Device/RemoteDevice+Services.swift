// Services that appear and disappear while the device is known.

import BlueZInterfaces
import Bluetooth
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// The device adds or removes a service.
  ///
  /// - Source: recorded from bluetoothd 5.66: `UUIDs` first, then the objects.
  func offer(_ service: BluetoothUUID, _ isOffered: Bool) {
    guard let attributes else { return }
    let isExported = state.areAttributesExported
    let after = attributes.services.filter { $0 != service }
    let uuids = isOffered ? after + [service] : after
    if isExported, state.known.found(uuids) { mark(Device1.uuids) }
    if service == Self.batteryService, !isOffered { removeBattery() }
    attributes.offer(service, isOffered, isExported: isExported)
    if service == Self.batteryService, isOffered { addBattery() }
  }

  /// The device has other firmware without the service, or the earlier one again. bluetoothd uses
  /// what it has read of the services before, until the object is removed.
  ///
  /// - Source: BlueZ 5.66, `src/main.conf` (`Cache = always`).
  func replace(_ service: BluetoothUUID, _ isReplaced: Bool) {
    if state.areAttributesExported, attributes?.replace(service, isReplaced) == true { return }
    offer(service, !isReplaced)
  }
}
