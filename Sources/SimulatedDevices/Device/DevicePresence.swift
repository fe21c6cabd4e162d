// A device that leaves by itself.

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
    case .notify, .store, .timer, .tick, .wake, .watchLink: return nil
    }
  }
}
