// The data of a device that bluetoothd stores on disk. It outlives the object, a new index of the
// adapter, and bluetoothd.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A device that was connected or paired.
///
/// - Source: BlueZ 5.66, `src/device.c` (device_create_from_storage).
struct StoredDevice: Sendable {
  /// The address of the adapter that knows the device.
  let adapter: BluetoothAddress
  /// The identity address of the device.
  let identity: BluetoothAddress
  let address: BluetoothAddress
  let addressType: AddressType
  /// Without the data that only discovery provides.
  let known: KnownDevice
  let bond: LinkSecurity
  /// The number of the device's keys that the bond was made with.
  let keyring: Int
}

extension RemoteDevice {
  /// The stored data; nil for a device that is known from discovery only.
  func stored(at adapter: BluetoothAddress) -> StoredDevice? {
    guard isExported, !isTemporary else { return nil }
    var known = state.known
    known.forgetAir()
    return StoredDevice(
      adapter: adapter, identity: device.definition.address, address: address,
      addressType: addressType, known: known, bond: state.pairing.bond, keyring: state.keyring
    )
  }

  /// Exports the object of a stored device.
  func exportIfKept() {
    if isExported { host.server.add(interfaces, at: path) }
  }

  /// Removes the object when the adapter is unplugged: a Pair that is connecting fails, other
  /// pending calls never get a reply, and Battery1 goes, too.
  /// - Source: recorded from bluetoothd 5.66.
  func unplugged() {
    failPendingPair(.authenticationFailed)
    state.end = .timeout
    state.battery = nil
    queue?.stop()
    perform { $0.lost() }
    stop()
    forget()
  }
}
