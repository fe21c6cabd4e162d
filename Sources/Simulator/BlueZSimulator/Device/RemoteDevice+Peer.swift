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

  /// Reads the Device Name of a device that advertises no name, once the services are resolved. The
  /// name of a central is that of its adapter.
  ///
  /// - Source: recorded from bluetoothd 5.66; BlueZ 5.66, `profiles/gap/gas.c`.
  func readName() {
    guard state.known.name == nil, !isAccepted else { return learnName() }
    after(host.settings.link(device.definition.link.latency)) { remote in
      if remote.isConnected { remote.learnName() }
    }
  }

  private func learnName() {
    guard let name = device.definition.name?.endedAtNUL, !name.isEmpty, state.known.learn(name)
    else {
      return
    }
    mark(Device1.name)
    mark(Device1.alias)
  }

  /// The current connection was made by the device, as a central.
  var isAccepted: Bool { state.isAccepted }
}
