// Blocked devices.

import BlueZInterfaces
import DBus
import Signals

extension RemoteDevice {
  /// Whether the controller ignores the device when it connects. Advertisements are still received.
  var isBlocked: Bool { state.known.isBlocked }

  /// Blocks the device, which disconnects it at once, or unblocks it.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func setBlocked(_ isBlocked: Bool, _ call: Invocation) {
    guard self.isBlocked != isBlocked else { return call.reply() }
    state.known.isBlocked = isBlocked
    mark(Device1.blocked)
    guard isBlocked else { return call.reply() }
    state.known.isTemporary = false
    removeBattery()
    call.reply()
    after(.zero) { device in
      if device.isBlocked { device.perform { $0.lost() } }
    }
  }
}
