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
    export()
    perform { $0.accepted() }
  }

  /// The current connection was made by the device, as a central.
  var isAccepted: Bool { state.isAccepted }
}
