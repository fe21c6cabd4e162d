// What bluetoothd keeps of a device on disk: it outlives the object, the adapter's place and bluetoothd.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// A device that was connected to or paired once.
///
/// - Source: BlueZ 5.66, `src/device.c` (device_create_from_storage).
struct StoredDevice: Sendable {
  /// The adapter that it is known to, by its address.
  let adapter: BluetoothAddress
  /// Which device it is, by its own address.
  let identity: BluetoothAddress
  /// What it was heard under.
  let address: BluetoothAddress
  let addressType: AddressType
  /// Without what only a discovery tells.
  let known: KnownDevice
  let bond: LinkSecurity
}

extension RemoteDevice {
  /// What is kept; nil for a device that is known by discovery alone.
  func stored(at adapter: BluetoothAddress) -> StoredDevice? {
    state.withLock { state in
      guard state.isExported, !state.known.isTemporary else { return nil }
      var known = state.known
      known.forgetAir()
      return StoredDevice(
        adapter: adapter,
        identity: device.definition.address,
        address: address,
        addressType: addressType,
        known: known,
        bond: state.pairing.bond
      )
    }
  }

  /// The object of a device that was kept is there from the start.
  func exportIfKept() {
    if isExported { host.server.add([interface], at: path) }
  }

  /// The adapter is gone: the link with it, what waits for an answer never gets one, and the object
  /// is removed, with Battery1.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func unplugged() {
    state.withLock { state in
      state.end = .timeout
      state.battery = nil
    }
    queue?.stop()
    perform { $0.lost() }
    stop()
    forget()
  }
}
