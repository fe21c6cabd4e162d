// A device that is an adapter of the same room: what happens on the one side happens on the other.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals
import SimulatedDevices

extension RemoteDevice {
  /// The device has connected, as a central. An adapter has one such connection at a time.
  func accept() {
    guard !device.isLinked else { return }
    state.isAccepted = true
    if !isExported {
      state.isExported = true
      host.server.add([interface], at: path)
    }
    perform { $0.accepted() }
  }

  /// The services are resolved: bluetoothd reads the Device Name of a device that advertises none. That
  /// of a central is the adapter's.
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

  /// Whether the device made the current connection, as a central.
  var isAccepted: Bool { state.isAccepted }
}
