// Services that come and go while the device is known.

import BlueZInterfaces
import Bluetooth
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// The device begins or ceases to offer a service.
  ///
  /// - Source: recorded from bluetoothd 5.66: `UUIDs` first, then the objects.
  func offer(_ service: BluetoothUUID, _ isOffered: Bool) {
    guard let attributes else { return }
    let isExported = state.withLock { $0.areAttributesExported }
    let after = attributes.services.filter { $0 != service }
    let uuids = isOffered ? after + [service] : after
    if isExported, state.withLock({ $0.known.found(uuids) }) { mark(Device1.Property.uuids) }
    attributes.offer(service, isOffered, isExported: isExported)
  }
}
