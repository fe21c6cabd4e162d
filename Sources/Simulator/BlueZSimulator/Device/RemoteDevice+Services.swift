// Services that are added or removed while bluetoothd knows the device.

import BlueZInterfaces
import Bluetooth
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// Adds or removes a service of the device.
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

  /// Removes a service from the device without an indication, or restores it. bluetoothd uses the
  /// services that it has cached until the object is removed.
  ///
  /// - Source: BlueZ 5.66, `src/main.conf` (`Cache = always`).
  func replace(_ service: BluetoothUUID, _ isReplaced: Bool) {
    if state.areAttributesExported, let attributes {
      let changesBus =
        isReplaced ? attributes.deviceLost(service) : attributes.deviceRegained(service)
      guard changesBus else { return }
    }
    offer(service, !isReplaced)
  }

  /// Brings the objects in line with the device's current services.
  ///
  /// - Source: recorded from bluetoothd 5.66: on a connection, the objects change at once, with
  ///   `UUIDs` announced before additions and after removals; otherwise when services are next
  ///   resolved.
  func followServices() {
    guard state.areAttributesExported, state.machine.isResolved, let attributes else { return }
    let present = attributes.services
    if state.known.found(present) { mark(Device1.uuids) }
    let gone = attributes.update(isExported: true)
    let lost = gone.filter { !present.contains($0) }
    if state.known.lost(lost) { mark(Device1.uuids) }
    if gone.contains(Self.batteryService) { removeBattery() }
    addBattery()
  }
}
