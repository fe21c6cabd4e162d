// The scheduled actions of a device, and the effects that DeviceState requests.

import Signals

/// An action that a device performs by itself at a scheduled time.
enum DueAction: Equatable {
  /// Store a value of the characteristic at this index, and send it to the subscriber.
  case notify(characteristic: Int, value: [UInt8])
  /// Send a value that the characteristic at this index already stores.
  case send(characteristic: Int, value: [UInt8])
  /// Store a value of the characteristic at this index.
  case store(characteristic: Int, value: [UInt8])
  /// Send a response of the firmware's SMP server.
  case answer(characteristic: Int, frame: [UInt8])
  /// Advance the behaviour of the characteristic at this index.
  case tick(characteristic: Int)
  /// Fire a machine's timer.
  case timer(MachineTimer)
  /// End the link or, with a duration, be out of range for it.
  case leave(absence: Duration?)
  /// Return into range.
  case comeBack
  /// Check whether the link is lost.
  case watchLink
  /// Report an expired timer to the logic.
  case wake(String)
  /// Send a Security Request, unless the link is encrypted.
  case requestSecurity
  /// End the link, unless it is encrypted.
  case endUnencryptedLink

  /// True if the action is dropped when the link ends.
  var isOfLink: Bool {
    switch self {
    case .notify, .send, .store, .answer, .tick, .watchLink, .leave(absence: nil), .requestSecurity,
      .endUnencryptedLink:
      true
    case .timer, .leave, .comeBack, .wake: false
    }
  }

  /// True if the action is dropped once the link is encrypted.
  var isOfUnencryptedLink: Bool { self == .requestSecurity || self == .endUnencryptedLink }

  /// The index of the characteristic; nil for other actions.
  var characteristic: Int? {
    switch self {
    case .notify(let index, _), .send(let index, _), .store(let index, _), .answer(let index, _),
      .tick(let index):
      index
    case .timer, .leave, .comeBack, .watchLink, .wake, .requestSecurity, .endUnencryptedLink: nil
    }
  }

  /// The name of the logic's timer; nil for other actions.
  var wake: String? { if case .wake(let name) = self { name } else { nil } }

  func isTimer(of machine: Int) -> Bool {
    if case .timer(let timer) = self { timer.machine == machine } else { false }
  }
}

enum DeviceAction {
  /// Schedule an action.
  case schedule(DueAction, at: Instant)
  /// Cancel the matching scheduled actions.
  case cancel(@Sendable (DueAction) -> Bool)
}

/// A change of a device's link or presence that the device itself causes.
public enum DevicePresence: Sendable, Hashable {
  /// The device ends the link.
  case endsLink
  /// The link is too weak and is lost.
  case losesLink
  /// The device leaves: it has no link, and does not advertise.
  case leaves
  /// The device returns.
  case comesBack
  /// The device sends a Security Request.
  case requestsSecurity

  /// The change that an action causes; nil if it causes none.
  init?(_ action: DueAction) {
    switch action {
    case .leave(absence: nil), .endUnencryptedLink: self = .endsLink
    case .leave: self = .leaves
    case .comeBack: self = .comesBack
    case .requestSecurity: self = .requestsSecurity
    case .notify, .send, .store, .answer, .timer, .tick, .wake, .watchLink: return nil
    }
  }
}
