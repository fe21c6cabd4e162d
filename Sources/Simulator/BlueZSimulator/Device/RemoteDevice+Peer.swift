// A device that is another adapter of the same world: events on one side are mirrored on the other.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// Accepts a connection that the device made as a central. An adapter has one such connection at
  /// a time.
  func accept() {
    guard !device.isLinked else { return }
    state.isAccepted = true
    if !isExported {
      state.isExported = true
      host.server.add([interface], at: path)
    }
    perform { $0.accepted() }
  }

  /// Reads the Device Name once the services are resolved. It replaces the advertised name until the
  /// next advertisement. The name of a central is that of its adapter.
  ///
  /// - Source: recorded from bluetoothd 5.66; BlueZ 5.66, `profiles/gap/gas.c` and `src/device.c`
  ///   (btd_device_device_set_name).
  func readName() {
    let definition = device.definition
    // The advertised name of an adapter is its program's: see KnownDifferences.md.
    let read = definition.gapName ?? (state.known.name == nil ? definition.name : nil)
    guard let name = read?.endedAtNUL, !name.isEmpty, name != state.known.name else { return }
    guard !isAccepted else { return learn(name) }
    after(host.settings.link(definition.link.latency)) { remote in
      if remote.isConnected { remote.learn(name) }
    }
  }

  private func learn(_ name: String) {
    guard state.known.learn(name) else { return }
    mark(Device1.name)
    if state.known.alias == nil { mark(Device1.alias) }
  }

  /// The current connection was made by the device, as a central.
  var isAccepted: Bool { state.isAccepted }
}
