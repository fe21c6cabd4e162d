// What a device wants done after it has decided something.

import Signals

/// Effects that DeviceState asks SimulatedDevice for.
enum DeviceAction: Equatable {
  /// Keep a value of the characteristic at this index, and send it to a subscriber.
  case notify(characteristic: Int, value: [UInt8], after: Duration)
  /// Keep a value of the characteristic at this index.
  case store(characteristic: Int, value: [UInt8], after: Duration)
  /// A machine's timer.
  case timer(MachineTimer, after: Duration)
  /// Forget the timers of a machine.
  case stopTimers(machine: Int)
  /// The device ends the link, or, for so long, is not there at all.
  case leave(absence: Duration?, after: Duration)
  /// The device is there again.
  case comeBack(after: Duration)
  /// See, after a supervision timeout, whether the link still stands.
  case watchLink
  /// Let the behaviour of the characteristic at this index go on at an instant.
  case tick(characteristic: Int, at: Instant)
  /// Forget the tick that is due.
  case stopTicks(characteristic: Int)
  /// Report a timer to the logic, in place of one of the same name.
  case wake(String, after: Duration)
  /// Forget the timers of the logic.
  case stopWakes

  func isTimer(of machine: Int) -> Bool {
    guard case .timer(let timer, _) = self else { return false }
    return timer.machine == machine
  }

  /// Whether it has no meaning without the link it was decided on.
  var isOfLink: Bool {
    switch self {
    case .notify, .store, .tick, .stopTicks, .watchLink,
      .leave(absence: nil, _):
      true
    case .timer, .stopTimers, .leave, .comeBack, .wake, .stopWakes: false
    }
  }

  /// The index of the characteristic that it is about; nil: of none.
  var characteristic: Int? {
    switch self {
    case .notify(let index, _, _), .store(let index, _, _), .tick(let index, _),
      .stopTicks(let index):
      index
    case .timer, .stopTimers, .leave, .comeBack, .watchLink, .wake, .stopWakes: nil
    }
  }

  /// Whether it is a timer of the logic: of this name, or, with nil, of any.
  func isWake(_ name: String?) -> Bool {
    guard case .wake(let own, _) = self else { return false }
    return name == nil || own == name
  }

  func isTick(of index: Int) -> Bool {
    guard case .tick(index, _) = self else { return false }
    return true
  }
}
