// What a device wants done after it has decided something.

import Signals

/// Effects that DeviceState asks SimulatedDevice for.
enum DeviceAction: Equatable {
  /// Keep a value of the characteristic at this index, and send it to a subscriber.
  case notify(characteristic: Int, value: [UInt8], after: Duration)
  /// Keep a value of the characteristic at this index.
  case store(characteristic: Int, value: [UInt8], after: Duration)
  /// Tell a subscriber of the characteristic at this index what it follows others to.
  case follow(characteristic: Int)
  /// Let the behaviour of the characteristic at this index go on at an instant.
  case tick(characteristic: Int, at: Instant)
  /// Forget the tick that is due.
  case stopTicks(characteristic: Int)

  func isTick(of index: Int) -> Bool {
    guard case .tick(index, _) = self else { return false }
    return true
  }
}
