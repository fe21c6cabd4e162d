// Devices that end their links, leave and come back by themselves.

import Signals
import SimulatedDevices

extension RemoteDevice {
  /// Follows what the device does by itself.
  func follow(_ presence: DevicePresence) {
    switch presence {
    case .endsLink: endLink()
    case .losesLink: loseLink()
    case .leaves:
      state.withLock { $0.isInAir = false }
      endLink()
    case .comesBack: appear()
    }
  }

  /// The device ends the link.
  private func endLink() {
    state.withLock { $0.end = .remote }
    perform { $0.lost() }
    state.withLock { $0.end = .local }
  }
}
