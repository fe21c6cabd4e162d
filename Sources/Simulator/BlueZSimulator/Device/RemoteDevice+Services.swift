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

  /// The device has other services than before.
  ///
  /// - Source: recorded from bluetoothd 5.66: with a connection, objects follow at once, `UUIDs` before
  ///   those that come and after those that go; without one, when the services are resolved the next
  ///   time.
  func followServices() {
    guard state.areAttributesExported, state.machine.isResolved, let attributes else { return }
    let present = attributes.services
    if state.known.found(present) { mark(Device1.uuids) }
    let gone = attributes.follow(isExported: true)
    let lost = gone.filter { !present.contains($0) }
    if state.known.lost(lost) { mark(Device1.uuids) }
    if gone.contains(Self.batteryService) { removeBattery() }
    addBattery()
  }
}
