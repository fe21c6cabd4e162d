// A connection to a bus: pending calls, subscriptions and handlers, over any kind of wire.
//
// The wire sends and receives. The tables are pure; this class owns them and calls their handlers.

public import Signals

/// Observes messages and their times. It must not keep a message, which would keep its file
/// descriptors open.
package typealias MessageObserver = @Sendable (_ message: Message, _ at: Instant) -> Void

/// A connection to a message bus. It stays open until ``close()`` or the end of the bus, even if no
/// reference to it is kept.
///
/// All members may be called from any thread. Handlers and continuations run on ``loop``.
public final class MessageBus: Sendable {
  private struct State {
    /// The reason why the connection has ended; nil while it is open.
    var failure: BusFailure?
    var uniqueName: String
    var pending = PendingCalls<ReplyWaiter>()
    var matches = MatchTable<Completion<Void>>()
    var subscribers = Subscribers()
    var exports = Exports()
    var closeHandlers: [@Sendable (BusFailure) -> Void] = []
    var observer: MessageObserver?
  }

  /// The loop that runs handlers and measures limits.
  public let loop: Loop
  /// The address of the bus, for error messages.
  public let address: String
  private let wire: any BusWire
  private let state: Guarded<State>

  init(on loop: Loop, address: String, over wire: some BusWire, uniqueName: String = "") {
    self.loop = loop
    self.address = address
    self.wire = wire
    state = Guarded(State(uniqueName: uniqueName))
  }

  /// The name that the bus gave this connection: `:1.42`.
  public var uniqueName: String { state.withLock { $0.uniqueName } }

  /// Sets the name that the bus gave this connection.
  func setUniqueName(_ name: String) { state.withLock { $0.uniqueName = name } }

  // MARK: Calls

  /// Sends a method call and waits for its reply.
  ///
  /// Throws at once on cancellation, and when `limit` or an enclosing deadline has passed; D-Bus's
  /// own reply timeout is not used. With `lateReply`, the abandoned call stays in a bounded table
  /// until its reply or the end of the bus.
  ///
  /// - Parameters:
  ///   - call: The method, its object and its arguments.
  ///   - limit: The time limit for the reply; nil for only the enclosing deadlines.
  ///   - fallback: The time limit if there is no enclosing deadline either.
  ///   - lateReply: Called, on the loop, with a reply or error that arrives after this call was
  ///     abandoned, so that its effect can be undone; ``DBusError/Name/disconnected`` if the bus
  ///     ends first.
  /// - Returns: The reply.
  /// - Throws: ``DBusError`` for an error reply. ``BusFailure`` if the connection has ended or
  ///   accepts no more calls. ``DBusValueError`` if the arguments cannot be sent. `TimedOut`,
  ///   `CancellationError`.
  nonisolated(nonsending)
    package func call(
      _ call: MethodCall, limit: Duration? = nil, otherwise fallback: Duration? = nil,
      lateReply: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
    ) async throws -> Message
  {
    var serial: UInt32?
    do {
      return try await wait(on: loop, operation: call.operation, limit: limit, otherwise: fallback)
      {
        serial = try begin(call, for: $0, lateReply: lateReply)
      }
    } catch {
      if let serial { abandonCall(serial: serial) }
      throw error
    }
  }

  /// Sends a method call whose reply resumes `caller`. For callers that make the wait themselves.
  ///
  /// - Returns: The serial, for ``abandonCall(serial:)``.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  package func begin(
    _ call: MethodCall, for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32 {
    try start(call, .caller(caller), lateReply: lateReply)
  }

  /// Sends a method call and waits for nothing.
  ///
  /// - Parameter reply: Called once, on the loop, in the order of arrival: before a later message is
  ///   processed. It receives the ``BusFailure`` if the bus ends first.
  /// - Returns: The serial, for ``abandonCall(serial:)``, after which `reply` is not called any more.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  @discardableResult
  package func send(
    _ call: MethodCall, reply: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) throws -> UInt32 {
    try start(call, .handler(reply), lateReply: nil)
  }

  /// Stops waiting for the reply to a call that was sent as `serial`.
  package func abandonCall(serial: UInt32) { state.withLock { $0.pending.abandon(serial) } }

  /// The number of calls whose replies are still expected, or still undone when they come late.
  package var unansweredCalls: Int { state.withLock { $0.pending.count } }

  /// Sends a call; `waiter` receives the reply.
  ///
  /// - Returns: The serial of the call.
  @discardableResult
  func start(
    _ call: MethodCall, _ waiter: ReplyWaiter, lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws -> UInt32 {
    var sent: UInt32 = 0
    try wire.send(call.message) { () throws(BusFailure) in
      // The reply may arrive as soon as the call is sent: register it, and call the observer,
      // before that.
      let observer = try state.withLock { state throws(BusFailure) in
        if let failure = state.failure { throw failure }
        sent = try state.pending.register(waiter, lateReply: lateReply)
        return state.observer
      }
      if let observer {
        var message = call.message
        message.serial = sent
        observer(message, loop.now)
      }
      return sent
    }
    return sent
  }

  /// Sends a signal, a reply, or a call that expects none.
  ///
  /// The bus assigns the serial. Messages of one thread arrive in the order they were sent.
  ///
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  package func send(_ message: Message) throws {
    try wire.send(message) { () throws(BusFailure) in
      try state.withLock { state throws(BusFailure) in
        if let failure = state.failure { throw failure }
        return state.pending.nextSerial()
      }
    }
  }

  /// Registers an observer of later calls of this connection, before they are sent, and of received
  /// messages: awaited replies, matching signals, and calls. For a call whose reply can no longer
  /// arrive, or was refused, it sees an error without a name.
  ///
  /// - Parameter observer: Called on the thread that sends or closes, otherwise on the loop.
  package func observe(_ observer: @escaping MessageObserver) {
    state.withLock { $0.observer = observer }
  }

  /// The time limit of calls to the bus itself, in addition to the deadlines of the caller. The bus
  /// only looks into its tables.
  private static var driverLimit: Duration { .seconds(10) }

  // MARK: Signals

  /// Calls `handler` with every matching signal, until the subscription is cancelled.
  ///
  /// Returns after the bus has accepted the rule, so that later signals are received. Handlers run
  /// on the loop, in order of arrival. A reply that arrived after a signal resumes its caller after
  /// the handler.
  ///
  /// - Throws: The errors of `call`.
  package func subscribe(
    _ rule: MatchRule, _ handler: @escaping @Sendable (Message) -> Void
  ) async throws -> Subscription {
    try rule.check()
    guard let name = rule.wellKnownSender else {
      return try await subscribe(rule, owner: nil, handler)
    }
    // Signals carry the unique name of their sender, so the owner of the well-known name is tracked
    // here. Changes of owner arrive in order with the signals.
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
      ) { (accepted: Completion<Void>) in
        let (joined, step) = try state.withLock { state throws(BusFailure) in
          if let failure = state.failure { throw failure }
          return state.matches.addSubscription(to: text, accepted)
        }
        ticket = joined
        switch step {
        case .add: try add(joined)
        case .wait: break
        case .ready: accepted.succeed(())
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
    let isAccepted = (try? answer.get()) != nil
    let waiters = state.withLock { $0.matches.applyReply(to: ticket, isAccepted: isAccepted) }
    for waiter in waiters { waiter.end(answer) }
  }

  private func unsubscribe(_ id: UInt64, _ ticket: MatchTable<Completion<Void>>.Ticket?) {
    let isLast = state.withLock { state in
      state.subscribers.remove(id)
      return ticket.map { state.matches.removeSubscription($0) } ?? false
    }
    guard isLast, let ticket else { return }
    // A connection that has ended has no rule to remove.
    let call = BusDriver.call(BusDriver.Method.removeMatch, [.string(ticket.rule)])
    try? send(call.withoutReply())
  }

  // MARK: Names

  /// Requests a well-known name.
  ///
  /// - Throws: ``DBusError`` if the bus does not allow it, and the errors of `call`.
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

  /// Releases a well-known name. Succeeds even if this connection does not own it.
  package func releaseName(_ name: String) async throws {
    try DBusName.check(name, as: .busName)
    let call = BusDriver.call(BusDriver.Method.releaseName, [.string(name)])
    _ = try await self.call(call, limit: Self.driverLimit)
  }

  /// The unique name of the owner of a name; nil if it has none.
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

  /// Calls `changed` with the current owner of a name before it returns, and then with each later
  /// owner; nil means no owner.
  package func watchOwner(
    of name: String, _ changed: @escaping @Sendable (_ owner: String?) -> Void
  ) async throws -> Subscription {
    try DBusName.check(name, as: .busName)
    let watch = OwnerWatch(of: name, changed)
    let changes = BusDriver.ownerChanges(of: name)
    let subscription = try await subscribe(changes, owner: nil) { watch.apply($0) }
    do {
      // A handler processes the reply in order of arrival, so that no later change of owner is
      // lost.
      try await wait(
        on: loop, operation: "the owner of \(name)", limit: Self.driverLimit
      ) { (known: Completion<Void>) in
        try start(
          ownerCall(name),
          .handler { result in
            switch result {
            case .success(let reply): watch.applyReply(owner: reply.body.first?.asString)
            case .failure(let error as DBusError) where error.name == .nameHasNoOwner:
              watch.applyReply(owner: nil)
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

  /// Registers a handler of the method calls to this connection.
  ///
  /// Handlers are called in the order they were exported, until one accepts the call. A call that
  /// none accepts gets an error reply.
  ///
  /// - Throws: ``BusFailure`` if the connection has ended.
  package func export(_ handler: any ObjectHandler) throws -> Export {
    let id: UInt64 = try state.withLock { state throws(BusFailure) in
      if let failure = state.failure { throw failure }
      return state.exports.add(handler)
    }
    return Export { self.state.withLock { $0.exports.remove(id) } }
  }

  // MARK: Receiving, on the loop

  /// Processes a received message. Called by the wire, on the loop.
  func receive(_ message: Message) {
    switch message.kind {
    case .signal: deliver(message)
    case .methodCall: offer(message)
    case .methodReturn, .error:
      let serial = message.replySerial ?? 0
      let (removed, observer) = state.withLock { ($0.pending.remove(serial), $0.observer) }
      guard let call = removed else { return }
      let refusal = message.refusal.map(Self.failure)
      if call.waiter != nil {
        observer?(refusal.map { .ended(call: serial, $0) } ?? message, loop.now)
      }
      if let failure = refusal ?? DBusError(message) {
        call.end(.failure(failure))
      } else {
        call.end(.success(message))
      }
    }
  }

  /// The failure of a call whose reply was refused.
  private static func failure(_ refusal: DBusError) -> any Error {
    guard refusal.name == .messageTooLarge else { return refusal }
    return BusFailure.messageTooLarge(reason: refusal.message)
  }

  /// Offers a call to the handlers, in order, and sends an error reply if none accepts it.
  ///
  /// Like libdbus, every connection implements `org.freedesktop.DBus.Peer` on every path.
  private func offer(_ call: Message) {
    let (handlers, observer, hasEnded) = state.withLock {
      ($0.exports.all, $0.observer, $0.failure != nil)
    }
    // A bus in memory still delivers messages that were sent before the end.
    if hasEnded { return }
    let invocation = Invocation(message: call, bus: self)
    // The arguments could not be read.
    if let refusal = call.refusal { return invocation.fail(refusal) }
    observer?(call, loop.now)
    for handler in handlers where handler.handle(invocation) { return }
    if call.interface == "org.freedesktop.DBus.Peer", call.body.isEmpty {
      if call.member == "Ping" { return invocation.reply() }
      if call.member == "GetMachineId", let id = wire.machineID {
        return invocation.reply([.string(id)])
      }
      return invocation.fail(Invocation.unhandledError(call, name: .unknownMethod))
    }
    invocation.fail(Invocation.unhandledError(call))
  }

  /// Delivers a signal to its subscribers, in the order they subscribed.
  private func deliver(_ signal: Message) {
    let (matching, observer) = state.withLock {
      ($0.subscribers.matching(signal), $0.observer)
    }
    observer?(signal, loop.now)
    // A handler may cancel another subscription.
    for subscriber in matching where state.withLock({ $0.subscribers.contains(subscriber.id) }) {
      subscriber.handler(signal)
    }
  }

  // MARK: Ending

  /// Calls `handler` once, on the loop, when the connection ends for any reason; if it has ended
  /// already, soon after this call.
  ///
  /// ```swift
  /// bus.onClose { failure in print(failure) }
  /// ```
  public func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void) {
    let failure = state.withLock { state in
      if state.failure == nil { state.closeHandlers.append(handler) }
      return state.failure
    }
    if let failure { loop.post { handler(failure) } }
  }

  /// Closes the connection. Pending calls fail with ``BusFailure/closed(address:reason:)``.
  ///
  /// ```swift
  /// bus.onClose { _ in print("closed") }
  /// bus.close()
  /// ```
  public func close() { end("it was closed by this program") }

  func end(_ reason: String) { end(with: .closed(address: address, reason: reason)) }

  /// Ends the connection: waiting callers fail at once, handlers are called on the loop.
  func end(with failure: BusFailure) {
    let ended: State? = state.withLock { state in
      guard state.failure == nil else { return nil }
      var ended = State(failure: failure, uniqueName: state.uniqueName)
      // The match table stays: the failure of AddMatch resumes the waiters of a rule.
      ended.matches = state.matches
      swap(&ended, &state)
      return ended
    }
    guard var ended else { return }
    wire.close()
    var others: [PendingCalls<ReplyWaiter>.Entry] = []
    for (serial, call) in ended.pending.removeAll() {
      if call.waiter != nil { ended.observer?(.ended(call: serial, failure), loop.now) }
      if call.waiter?.caller?.fail(failure) != true { others.append(call) }
    }
    let handlers = ended.closeHandlers
    loop.post { [others] in
      for call in others { call.end(.failure(failure)) }
      for handler in handlers { handler(failure) }
    }
  }
}

extension Message {
  /// The synthetic error that an observer sees at the end of a call without a reply.
  fileprivate static func ended(call serial: UInt32, _ error: any Error) -> Message {
    var contents = Contents(kind: .error)
    contents.replySerial = serial
    contents.body = [.string("\(error)")]
    return Message(contents)
  }
}
