// A device that the host does not want to have to do with.

import BlueZInterfaces
import DBus
import Signals

extension RemoteDevice {
  /// Whether the controller passes over the device when it connects. It is heard all the same.
  var isBlocked: Bool { state.withLock { $0.known.isBlocked } }

  /// Blocks the device, which ends its link without a wait, or unblocks it.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func setBlocked(_ isBlocked: Bool, _ call: Invocation) {
    let isChanged = state.withLock { state in
      defer { state.known.isBlocked = isBlocked }
      return state.known.isBlocked != isBlocked
    }
    guard isChanged else { return call.reply() }
    mark(Device1.blocked)
    guard isBlocked else { return call.reply() }
    state.withLock { $0.known.isTemporary = false }
    removeBattery()
    call.reply()
    after(.zero) { device in
      if device.isBlocked { device.perform { $0.lost() } }
    }
  }
}
