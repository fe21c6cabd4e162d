// One connection to a bus, independent of the kind of bus: tables of who waits for what, over a wire.
//
// Names, match rules and handlers are in MessageBus+Names.swift, what arrives in
// MessageBus+Receiving.swift.

public import Signals

/// Sees messages, and when. Not to be kept: a message with a descriptor holds that open.
package typealias MessageObserver = @Sendable (_ message: Message, _ at: Instant) -> Void

/// A connection to a message bus. It stays open until ``close()`` or the end of the bus, even when
/// nothing refers to it.
///
/// All members may be called from any thread. Handlers and continuations run on ``loop``.
public final class MessageBus: Sendable {
  struct State {
    /// Why the connection has ended; nil while it is open.
    var failure: BusFailure?
    var uniqueName: String
    var pending = PendingCalls<ReplyWaiter>()
    var matches = MatchTable<Completion<Void>>()
    var subscribers = Subscribers()
    var exports = Exports()
    var closeHandlers: [@Sendable (BusFailure) -> Void] = []
    var observer: MessageObserver?
  }

  /// The loop that runs handlers, and whose clock measures limits.
  public let loop: Loop
  /// The address of the bus, for messages to people.
  public let address: String
  let wire: any BusWire
  let state: Guarded<State>

  init(on loop: Loop, address: String, over wire: some BusWire, uniqueName: String = "") {
    self.loop = loop
    self.address = address
    self.wire = wire
    state = Guarded(State(uniqueName: uniqueName))
  }

  /// The name that the bus gave this connection: `:1.42`.
  public var uniqueName: String { state.withLock { $0.uniqueName } }

  // MARK: Calls

  /// Sends a method call and waits for its reply.
  ///
  /// Ends at once on cancellation, and when `limit` or an enclosing deadline has passed; the
  /// timeout of the bus is not used. If `lateReply` is given, the call then stays in a bounded
  /// table until its reply or the end of the bus.
  ///
  /// - Parameters:
  ///   - call: The method, its object and its arguments.
  ///   - limit: How long to wait for the reply; nil leaves that to the enclosing deadlines.
  ///   - fallback: How long to wait when there is no enclosing deadline either.
  ///   - lateReply: Receives, on the loop, a reply or error that arrived after this call ended, so
  ///     that its effect can be undone; ``DBusError/Name/disconnected`` when the bus ended first.
  /// - Returns: The reply.
  /// - Throws: ``DBusError`` for an error reply. ``BusFailure`` when the bus has ended or accepts
  ///   no more calls. ``DBusValueError`` when the arguments cannot be sent. `TimedOut`,
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
      if let serial { leave(serial) }
      throw error
    }
  }

  /// Sends a method call whose reply resumes `caller`. For `call`.
  ///
  /// - Returns: The serial, for ``leave(_:)``.
  /// - Throws: ``BusFailure``, ``DBusValueError``.
  package func begin(
    _ call: MethodCall, for caller: Completion<Message>,
    lateReply: (@Sendable (Result<Message, DBusError>) -> Void)?
  ) throws -> UInt32 {
    try start(call, .caller(caller), lateReply: lateReply)
  }

  /// Stops waiting for the reply to the call that ``begin(_:for:lateReply:)`` sent with `serial`.
  package func leave(_ serial: UInt32) { state.withLock { $0.pending.leave(serial) } }

  /// Sends a call; `waiter` receives the reply.
  ///
  /// - Returns: The serial of the call.
  @discardableResult
  func start(
    _ call: MethodCall, _ waiter: ReplyWaiter, lateReply: PendingCalls<ReplyWaiter>.LateReply?
  ) throws -> UInt32 {
    var sent: UInt32 = 0
    try wire.send(call.message) { () throws(BusFailure) in
      // None can arrive before it is sent: its entry, and who observes it, come first.
      let observer = try state.withLock { state throws(BusFailure) in
        if let failure = state.failure { throw failure }
        sent = try state.pending.enter(waiter, lateReply: lateReply)
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

  /// Has an observer see the later calls of this connection before they are sent, and what arrives:
  /// the replies that somebody waits for, signals that fit a rule, and calls. A call whose reply
  /// cannot arrive any more, or was refused, ends with an error without a name.
  ///
  /// - Parameter observer: Called on the thread that sends or closes, and else on the loop.
  package func observe(_ observer: @escaping MessageObserver) {
    state.withLock { $0.observer = observer }
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

  /// Ends the connection, and reports that to everybody: to waiting callers at once, to handlers on
  /// the loop.
  func end(with failure: BusFailure) {
    let ended: State? = state.withLock { state in
      guard state.failure == nil else { return nil }
      var ended = State(failure: failure, uniqueName: state.uniqueName)
      // Waiters for a rule are resumed by the failure of its AddMatch.
      ended.matches = state.matches
      swap(&ended, &state)
      return ended
    }
    guard var ended else { return }
    wire.close()
    var others: [PendingCalls<ReplyWaiter>.Entry] = []
    for (serial, call) in ended.pending.takeAll() {
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
