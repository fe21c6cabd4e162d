// What a link reports to those who count connections.

import Bluetooth
import Signals

extension DeviceLink {
  /// Reports that a connection that this program made is ready for use.
  ///
  /// - Parameter begun: When the attempt began.
  func reportConnected(since begun: Instant) {
    state.withLock { $0.isReported = true }
    news(.connected(after: loop.now - begun))
  }

  /// Reports the end of a connection that was reported as ready, once.
  func reportEnd() {
    let end = state.withLock { state -> LinkNews.End? in
      guard state.isReported, !state.machine.isUp else { return nil }
      state.isReported = false
      switch state.machine.ending {
      case .removed: return .deviceRemoved
      case .daemonGone: return .daemonLost
      case .lost: return .dropped(state.reason?.end ?? .unknown)
      // Without an ending yet, Disconnect was called and is still to be answered.
      case .disconnected, .refused, nil: return .requested
      }
    }
    if let end { news(.ended(end)) }
  }
}
