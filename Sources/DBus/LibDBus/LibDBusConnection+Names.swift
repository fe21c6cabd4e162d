// The members that a libdbus connection shares with every front.

import Signals

extension LibDBusConnection: BusFront {
  public func subscribe(
    _ rule: MatchRule,
    _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription {
    try await addSubscriber(rule, handler)
  }

  public func requestName(
    _ name: String,
    flags: NameRequestFlags
  ) async throws -> NameRequestReply {
    try await claim(name, flags: flags)
  }

  public func releaseName(_ name: String) async throws { try await giveBack(name) }

  public func nameOwner(_ name: String) async throws -> String? { try await owner(of: name) }

  public func watchOwner(
    of name: String,
    _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription {
    try await follow(name, changed)
  }

  public func export(_ handler: any ObjectHandler) throws -> Export { try addHandler(handler) }
}
