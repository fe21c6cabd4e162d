// The characteristics that bluetoothd reads on every device it connects to, because they identify it.
//
// The battery level is elsewhere, because bluetoothd also follows it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  private static let deviceInformation = BluetoothUUID(short: 0x180a)

  /// Reads the Device Name, and the Appearance if none is known, once the services are resolved.
  ///
  /// The name replaces the advertised one until the next advertisement. The name of a central is that
  /// of its adapter.
  ///
  /// - Source: recorded from bluetoothd 5.66; BlueZ 5.66 and 5.77, `profiles/gap/gas.c`, and
  ///   `src/device.c` (btd_device_device_set_name).
  func readGenericAccess() {
    let isRead = state.isGenericAccessRead && host.settings.version.has(.nameReadOnce)
    state.isGenericAccessRead = true
    guard !isRead else { return }
    readName()
    guard let appearance = device.definition.appearance, state.known.appearance == nil else {
      return
    }
    whenRead(2) { remote in
      for property in remote.state.known.learn(appearance: appearance) { remote.mark(property) }
    }
  }

  private func readName() {
    let definition = device.definition
    // The advertised name of an adapter is its program's: see KnownDifferences.md.
    let read = definition.gapName ?? (state.known.name == nil ? definition.name : nil)
    guard let name = read?.endedAtNUL, !name.isEmpty, name != state.known.name else { return }
    guard !isAccepted else { return learn(name) }
    whenRead(1) { $0.learn(name) }
  }

  private func learn(_ name: String) {
    guard state.known.learn(name) else { return }
    mark(Device1.name)
    if state.known.alias == nil { mark(Device1.alias) }
  }

  /// Reads the PnP ID.
  ///
  /// - Source: BlueZ 5.66, `profiles/deviceinfo/deviceinfo.c`.
  func readPnPID() {
    guard attributes?.services.contains(Self.deviceInformation) == true,
      let identity = entry(0x2a50, of: Self.deviceInformation), identity.properties.contains(.read)
    else { return }
    whenRead(3) { remote in
      remote.device.read(identity.handle, from: 0) { [weak remote] result in
        guard let remote, let octets = try? result.get() else { return }
        if remote.isConnected, remote.state.known.learn(pnpID: octets) {
          remote.mark(Device1.modalias)
        }
      }
    }
  }

  /// Calls `done` when the response to the request of that number on the connection has come.
  private func whenRead(_ number: Int, _ done: @escaping @Sendable (RemoteDevice) -> Void) {
    after(host.settings.link(device.definition.link.latency * number)) { remote in
      if remote.isConnected { done(remote) }
    }
  }
}
