// The front over a bus in memory.

public import Signals

/// A connection to a ``LoopbackBus``. It stays open until ``close()`` or the end of the bus.
public final class LoopbackConnection: MessageBus {
  struct State: FrontState {
    var failure: BusFailure?
    var pending = PendingCalls<ReplyWaiter>()
    var matches = MatchTable<Completion<Void>>()
    var subscribers = Subscribers()
    var exports = Exports()
    var closeHandlers: [@Sendable (BusFailure) -> Void] = []
    var callObserver: CallObserver?
  }

  /// A constant machine ID.
  private static let machineID = "00000000000000000000000000000001"

  public let uniqueName: String
  private let bus: LoopbackBus
  let state = Guarded(State())

  init(to bus: LoopbackBus, uniqueName: String) {
    self.bus = bus
    self.uniqueName = uniqueName
  }

  public var loop: Loop { bus.loop }
  public var address: String { bus.address }

  // MARK: Outgoing

  public func begin(
    _ call: MethodCall,
    for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32 {
    try start(call, .caller(caller), lateReply: lateReply)
  }

  public func leave(_ serial: UInt32) { state.withLock { $0.pending.leave(serial) } }

  public func send(_ message: Message) throws {
    let message = try prepared(message)
    let serial = try state.withLock { state throws(BusFailure) in
      if let failure = state.failure { throw failure }
      return state.pending.nextSerial()
    }
    submit(message, serial)
  }

  @discardableResult
  func start(
    _ call: MethodCall,
    _ waiter: ReplyWaiter,
    lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws -> UInt32 {
    let message = try prepared(call.message)
    let (serial, observed) = try state.withLock { state throws(BusFailure) in
      if let failure = state.failure { throw failure }
      return try state.enter(call, waiter, lateReply: lateReply)
    }
    observed?.begin()
    submit(message, serial)
    return serial
  }

  private func submit(_ message: Message, _ serial: UInt32) {
    var message = message
    message.serial = serial
    message.sender = uniqueName
    bus.submit(message)
  }

  /// Checks a message as libdbus does, and copies its descriptors as the kernel does.
  private func prepared(_ message: Message) throws -> Message {
    try message.checkSendable()
    let message = try message.duplicatingDescriptors()
    guard let transcode = bus.transcode else { return message }
    return try transcode(message)
  }

  // MARK: Incoming

  /// A message has arrived. Called on the loop.
  func receive(_ message: Message) {
    guard state.withLock({ $0.failure == nil }) else { return }
    switch message.kind {
    case .signal: deliver(message)
    case .methodCall:
      observe(request: message)
      let invocation = Invocation(message: message, bus: self)
      let handlers = state.withLock { $0.exports.all }
      invocation.offer(to: handlers) { Self.machineID }
    case .methodReturn, .error:
      guard let call = state.withLock({ $0.pending.take(message.replySerial ?? 0) }) else { return }
      if let error = DBusError(message) {
        call.end(.failure(error))
      } else {
        call.end(.success(message))
      }
    }
  }

  // MARK: Ending

  public func onClose(_ handler: @escaping @Sendable (BusFailure) -> Void) {
    let failure = state.withLock { state in
      if state.failure == nil { state.closeHandlers.append(handler) }
      return state.failure
    }
    if let failure { loop.post { handler(failure) } }
  }

  public func close() { end("it was closed by this program") }

  func end(_ reason: String) {
    let failure = BusFailure.closed(address: address, reason: reason)
    let ended: State? = state.withLock { state in
      guard state.failure == nil else { return nil }
      var ended = State()
      swap(&ended, &state)
      state.failure = failure
      // Waiters for a rule are resumed by the failure of its AddMatch.
      state.matches = ended.matches
      return ended
    }
    guard let ended else { return }
    bus.leave(self)
    announceEnd(of: ended, failure)
  }
}

extension LoopbackConnection: BusFront {
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
