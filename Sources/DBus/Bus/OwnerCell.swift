// The present owner of a well-known name, as the bus tells it.

import Signals

/// Remembers an owner.
final class OwnerCell: Sendable {
  private let value = Guarded<String?>(nil)

  /// The unique name of the owner; nil for nobody.
  var owner: String? { value.withLock { $0 } }

  func set(_ owner: String?) { value.withLock { $0 = owner } }
}

/// Puts the answer to "who owns it now" and the news of changes into one sequence.
///
/// News that come before the answer are contained in it.
final class OwnerWatch: Sendable {
  private enum Phase { case asked, known, stopped }

  private let name: String
  private let phase = Guarded(Phase.asked)
  private let changed: @Sendable (String?) -> Void

  init(of name: String, _ changed: @escaping @Sendable (String?) -> Void) {
    self.name = name
    self.changed = changed
  }

  /// The bus answered.
  func learned(_ owner: String?) {
    let isWanted = phase.withLock { phase in
      guard phase == .asked else { return false }
      phase = .known
      return true
    }
    if isWanted { changed(owner) }
  }

  /// The bus signalled.
  func heard(_ signal: Message) {
    guard phase.withLock({ $0 == .known }), signal.body.count == 3,
      signal.body[0].asString == name, let owner = signal.body[2].asString
    else { return }
    changed(owner.isEmpty ? nil : owner)
  }

  /// Nobody listens any more.
  func stop() { phase.withLock { $0 = .stopped } }
}
