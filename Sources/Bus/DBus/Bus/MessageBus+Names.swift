// Names, match rules and exported handlers: all are calls to the bus and entries in tables.

import Signals

extension MessageBus {
  /// How long the bus itself may take to answer, beside the deadlines of the caller: it does nothing
  /// but look into its tables.
  private static var driverLimit: Duration { .seconds(10) }

  // MARK: Signals

  /// Calls `handler` with every signal that matches, until the subscription is cancelled.
  ///
  /// Returns when the bus has accepted the rule: later signals are received. Handlers run on the
  /// loop, in order of arrival, before the caller of a reply that arrived later is resumed.
  ///
  /// - Throws: What `call` throws.
  package func subscribe(
    _ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription {
    try rule.check()
    guard let name = rule.wellKnownSender else {
      return try await subscribe(rule, owner: nil, handler)
    }
    // The sender of a signal is a unique name, and its changes of owner arrive in the same stream.
    let owner = OwnerCell()
    let ownership = try await watchOwner(of: name) { owner.set($0) }
    do {
      let subscription = try await subscribe(rule, owner: owner, handler)
      return Subscription {
        subscription.cancel()
        ownership.cancel()
      }
    } catch {
      ownership.cancel()
      throw error
    }
  }

  private func subscribe(
    _ rule: MatchRule, owner: OwnerCell?, _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription {
    let text = rule.text
    let id = try state.withLock { state throws(BusFailure) in
      if let failure = state.failure { throw failure }
      return state.subscribers.add(rule, owner: owner, handler)
    }
    var ticket: MatchTable<Completion<Void>>.Ticket?
    do {
      try await wait(
        on: loop, operation: "the match rule \(text)", limit: Self.driverLimit
      ) { (taken: Completion<Void>) in
        let (joined, step) = try state.withLock { state throws(BusFailure) in
          if let failure = state.failure { throw failure }
          return state.matches.join(text, taken)
        }
        ticket = joined
        switch step {
        case .add: try add(joined)
        case .wait: break
        case .ready: taken.succeed(())
        }
      }
    } catch {
      unsubscribe(id, ticket)
      throw error
    }
    return Subscription { [ticket] in self.unsubscribe(id, ticket) }
  }

  private func add(_ ticket: MatchTable<Completion<Void>>.Ticket) throws {
    let call = BusDriver.call(BusDriver.Method.addMatch, [.string(ticket.rule)])
    do {
      try start(call, .handler { self.answered(ticket, $0) }, lateReply: nil)
    } catch {
      answered(ticket, .failure(error))
      throw error
    }
  }

  private func answered(
    _ ticket: MatchTable<Completion<Void>>.Ticket, _ result: Result<Message, any Error>
  ) {
    let answer = result.map { _ in () }
    let isTaken = (try? answer.get()) != nil
    let waiters = state.withLock { $0.matches.answered(ticket, isTaken: isTaken) }
    for waiter in waiters { waiter.end(answer) }
  }

  private func unsubscribe(_ id: UInt64, _ ticket: MatchTable<Completion<Void>>.Ticket?) {
    let isLast = state.withLock { state in
      state.subscribers.remove(id)
      return ticket.map { state.matches.leave($0) } ?? false
    }
    guard isLast, let ticket else { return }
    // A bus that has ended has no rule to remove.
    let call = BusDriver.call(BusDriver.Method.removeMatch, [.string(ticket.rule)])
    try? send(call.withoutReply())
  }

  // MARK: Names

  /// Requests a well-known name.
  ///
  /// - Throws: ``DBusError`` when the bus does not allow it, and what a call throws.
  package func requestName(
    _ name: String, flags: NameRequestFlags
  ) async throws -> NameRequestReply {
    try DBusName.check(name, as: .busName)
    let reply = try await call(
      BusDriver.call(BusDriver.Method.requestName, [.string(name), .uint32(flags.rawValue)]),
      limit: Self.driverLimit
    )
    guard let answer = reply.body.first?.asUInt32.flatMap({ NameRequestReply(rawValue: $0) }) else {
      throw DBusError(name: .inconsistentMessage, message: "RequestName was answered by \(reply)")
    }
    return answer
  }

  /// Releases a well-known name. Succeeds when this connection does not own it.
  package func releaseName(_ name: String) async throws {
    try DBusName.check(name, as: .busName)
    let call = BusDriver.call(BusDriver.Method.releaseName, [.string(name)])
    _ = try await self.call(call, limit: Self.driverLimit)
  }

  /// The unique name of the owner of a name; nil when nobody owns it.
  package func nameOwner(_ name: String) async throws -> String? {
    try DBusName.check(name, as: .busName)
    do {
      return try await call(ownerCall(name), limit: Self.driverLimit).body.first?.asString
    } catch let error as DBusError where error.name == .nameHasNoOwner {
      return nil
    }
  }

  private func ownerCall(_ name: String) -> MethodCall {
    BusDriver.call(BusDriver.Method.getNameOwner, [.string(name)])
  }

  /// Calls `changed` with the current owner of a name, and with each later one; nil for none.
  ///
  /// The first call comes before this returns.
  package func watchOwner(
    of name: String, _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription {
    try DBusName.check(name, as: .busName)
    let watch = OwnerWatch(of: name, changed)
    let changes = BusDriver.ownerChanges(of: name)
    let subscription = try await subscribe(changes, owner: nil) { watch.ownerChanged($0) }
    do {
      // The reply is handled in the order of arrival, so that no change of owner behind it is lost.
      try await wait(
        on: loop, operation: "the owner of \(name)", limit: Self.driverLimit
      ) { (known: Completion<Void>) in
        try start(
          ownerCall(name),
          .handler { result in
            switch result {
            case .success(let reply): watch.learned(reply.body.first?.asString)
            case .failure(let error as DBusError) where error.name == .nameHasNoOwner:
              watch.learned(nil)
            case .failure(let error):
              known.fail(error)
              return
            }
            known.succeed(())
          },
          lateReply: nil
        )
      }
    } catch {
      watch.stop()
      subscription.cancel()
      throw error
    }
    return Subscription {
      watch.stop()
      subscription.cancel()
    }
  }

  // MARK: Objects

  /// Offers every method call to this connection to `handler`, after the handlers that were
  /// exported before.
  ///
  /// Handlers are asked in order until one handles the call; a call that none handles gets an error
  /// reply.
  ///
  /// - Throws: ``BusFailure`` when the bus has ended.
  package func export(_ handler: any ObjectHandler) throws -> Export {
    let id: UInt64 = try state.withLock { state throws(BusFailure) in
      if let failure = state.failure { throw failure }
      return state.exports.add(handler)
    }
    return Export { self.state.withLock { $0.exports.remove(id) } }
  }
}
