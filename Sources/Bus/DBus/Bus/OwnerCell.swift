// Tracks the owner of a well-known name.

import Signals

/// The current owner of a name, for a subscription that matches its sender.
final class OwnerCell: Sendable {
  private let value = Guarded<String?>(nil)

  /// The unique name of the owner; nil for none.
  var owner: String? { value.withLock { $0 } }

  func set(_ owner: String?) { value.withLock { $0 = owner } }
}

/// Merges the reply to GetNameOwner and the NameOwnerChanged signals into one sequence.
///
/// Changes that arrive before the reply are ignored: the reply includes them.
final class OwnerWatch: Sendable {
  private enum Phase { case asked, known, stopped }

  private let name: String
  private let phase = Guarded(Phase.asked)
  private let changed: @Sendable (String?) -> Void

  init(of name: String, _ changed: @escaping @Sendable (String?) -> Void) {
    self.name = name
    self.changed = changed
  }

  /// Applies the reply to GetNameOwner.
  func applyReply(owner: String?) {
    let isWanted = phase.withLock { phase in
      guard phase == .asked else { return false }
      phase = .known
      return true
    }
    if isWanted { changed(owner) }
  }

  /// Applies a NameOwnerChanged signal.
  func apply(_ signal: Message) {
    guard phase.withLock({ $0 == .known }), signal.body.count == 3,
      signal.body[0].asString == name, let owner = signal.body[2].asString
    else { return }
    changed(owner.isEmpty ? nil : owner)
  }

  /// Ignores everything from now on.
  func stop() { phase.withLock { $0 = .stopped } }
}
