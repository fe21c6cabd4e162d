// The current owner of a well-known name, as the bus reports it.

import Signals

/// Stores an owner.
final class OwnerCell: Sendable {
  private let value = Guarded<String?>(nil)

  /// The unique name of the owner; nil for none.
  var owner: String? { value.withLock { $0 } }

  func set(_ owner: String?) { value.withLock { $0 = owner } }
}

/// Merges the reply to GetNameOwner and the NameOwnerChanged signals into one sequence.
///
/// The reply already contains the changes that arrive before it.
final class OwnerWatch: Sendable {
  private enum Phase { case asked, known, stopped }

  private let name: String
  private let phase = Guarded(Phase.asked)
  private let changed: @Sendable (String?) -> Void

  init(of name: String, _ changed: @escaping @Sendable (String?) -> Void) {
    self.name = name
    self.changed = changed
  }

  /// The bus replied.
  func learned(_ owner: String?) {
    let isWanted = phase.withLock { phase in
      guard phase == .asked else { return false }
      phase = .known
      return true
    }
    if isWanted { changed(owner) }
  }

  /// The bus sent NameOwnerChanged.
  func ownerChanged(_ signal: Message) {
    guard phase.withLock({ $0 == .known }), signal.body.count == 3,
      signal.body[0].asString == name, let owner = signal.body[2].asString
    else { return }
    changed(owner.isEmpty ? nil : owner)
  }

  /// The watch was cancelled.
  func stop() { phase.withLock { $0 = .stopped } }
}
