// Devices that disconnect, leave and return by themselves.

import Signals
import SimulatedDevices

extension RemoteDevice {
  /// Performs what the device does by itself.
  func follow(_ presence: DevicePresence) {
    switch presence {
    case .endsLink: endLink()
    case .losesLink: loseLink()
    case .leaves:
      state.isInAir = false
      endLink()
    case .comesBack: appear()
    }
  }

  /// The device disconnects.
  func endLink() {
    state.end = .remote
    perform { $0.lost() }
    state.end = .local
  }
}
