// What bluetoothd stores of a device on disk: it outlives the object, the adapter's index and
// bluetoothd.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A device that was connected or paired.
///
/// - Source: BlueZ 5.66, `src/device.c` (device_create_from_storage).
struct StoredDevice: Sendable {
  /// The adapter that knows it, by address.
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

  /// The object of a stored device exists from the start.
  func exportIfKept() {
    if isExported { host.server.add([interface], at: path) }
  }

  /// The adapter was unplugged, and the connection with it: a Pair that is connecting fails, other
  /// pending calls never get a reply, and the object is removed, with Battery1.
  /// - Source: recorded from bluetoothd 5.66.
  func unplugged() {
    abandonPairingToCome(.authenticationFailed)
    state.end = .timeout
    state.battery = nil
    queue?.stop()
    perform { $0.lost() }
    stop()
    forget()
  }
}
