// What a device wants done after it has decided something.

import Signals

/// Something that a device does by itself when its time has come.
enum DueAction: Equatable {
  /// Keep a value of the characteristic at this index, and send it to a subscriber.
  case notify(characteristic: Int, value: [UInt8])
  /// Send a value that the characteristic at this index was given before.
  case send(characteristic: Int, value: [UInt8])
  /// Keep a value of the characteristic at this index.
  case store(characteristic: Int, value: [UInt8])
  /// Let the behaviour of the characteristic at this index go on.
  case tick(characteristic: Int)
  /// A machine's timer is over.
  case timer(MachineTimer)
  /// End the link, or, for so long, be gone.
  case leave(absence: Duration?)
  /// Be there again.
  case comeBack
  /// See whether the link still stands.
  case watchLink
  /// Report a timer to the logic.
  case wake(String)

  /// Whether it has no meaning without the link it was decided on.
  var isOfLink: Bool {
    switch self {
    case .notify, .send, .store, .tick, .watchLink, .leave(absence: nil): true
    case .timer, .leave, .comeBack, .wake: false
    }
  }

  /// The index of the characteristic that it is about; nil: of none.
  var characteristic: Int? {
    switch self {
    case .notify(let index, _), .send(let index, _), .store(let index, _), .tick(let index): index
    case .timer, .leave, .comeBack, .watchLink, .wake: nil
    }
  }

  /// The name of the logic's timer; nil: it is none.
  var wake: String? { if case .wake(let name) = self { name } else { nil } }

  func isTimer(of machine: Int) -> Bool {
    if case .timer(let timer) = self { timer.machine == machine } else { false }
  }
}

/// Effects that DeviceState asks SimulatedDevice for.
enum DeviceAction {
  /// Do something when its time has come.
  case schedule(DueAction, at: Instant)
  /// Forget what is due.
  case cancel(@Sendable (DueAction) -> Bool)
}

/// What a device does with its link, and with the air.
public enum DevicePresence: Sendable, Hashable {
  /// It ends the link.
  case endsLink
  /// Its link is too weak to go on.
  case losesLink
  /// It is gone: no link, no advertisements.
  case leaves
  /// It is there again.
  case comesBack

  /// What an action means for the device's presence; nil for those that mean nothing.
  init?(_ action: DueAction) {
    switch action {
    case .leave(absence: nil): self = .endsLink
    case .leave: self = .leaves
    case .comeBack: self = .comesBack
    case .notify, .send, .store, .timer, .tick, .wake, .watchLink: return nil
    }
  }
}
