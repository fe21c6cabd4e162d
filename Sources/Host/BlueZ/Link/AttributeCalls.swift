// Calls about the attributes of one device, which end with the connection even without a reply.
//
// bluetoothd replies to pending requests when a connection ends, with two exceptions: a request
// that waits for encryption is dropped, and so is every request when the adapter is unplugged.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The pending calls about a device's attributes.
///
/// - Source: BlueZ 5.66, `src/shared/att.c`: disconnect_cb answers the pending request and those
///   that wait for their turn; one that change_security has put back into its channel's queue is
///   freed with the channel.
final class AttributeCalls: Sendable {
  private struct Pending {
    let id: UInt64
    let since: Instant
    /// Whether a missing reply means that the request waited for encryption.
    let isConclusive: Bool
    let caller: Caller
    /// The number of a call whose reply is an event, for the bus; it is known once the call is sent.
    var serial: UInt32?
  }

  /// The receiver of a reply, or of its absence.
  private enum Caller {
    case task(Completion<Message>)
    case handler(@Sendable (Result<Message, any Error>) -> Void)

    func fail(_ cause: Cause) {
      switch self {
      case .task(let caller): caller.fail(cause)
      case .handler(let reply): reply(.failure(cause))
      }
    }
  }

  private struct State {
    var pending: [Pending] = []
    var nextID: UInt64 = 0
    /// A clean-up was left unanswered, and no other call has been made since.
    var isSilent = false
  }

  private let bus: MessageBus
  private let limits: BlueZLimits
  private let state = Guarded(State())

  init(bus: MessageBus, limits: BlueZLimits) {
    self.bus = bus
    self.limits = limits
  }

  /// Sends a call and waits for its reply, at most a moment beyond the end of the connection.
  ///
  /// - Parameters:
  ///   - limit: The maximum time for the reply, whatever the enclosing deadlines.
  ///   - isConclusive: Whether bluetoothd replies to such a call when the connection ends, unless it
  ///     waits for encryption.
  ///   - sending: Called just before the call is sent.
  /// - Throws: The errors of `MessageBus.call`; ``Cause`` when the connection ended without a
  ///   reply.
  @inline(__always)
  nonisolated(nonsending)
    func call(
      _ call: MethodCall, limit: Duration? = nil, isConclusive: Bool = true,
      lateReply: (@Sendable (Result<Message, DBusError>) -> Void)? = nil, sending: () -> Void = {}
    ) async throws -> Message
  {
    var serial: UInt32?
    var id: UInt64?
    defer { if let id { leave(id) } }
    do {
      return try await wait(
        on: bus.loop, operation: call.operation, limit: limit, otherwise: limits.attribute
      ) { caller in
        id = enter(.task(caller), isConclusive)
        sending()
        serial = try bus.begin(call, for: caller, lateReply: lateReply)
      }
    } catch {
      if let serial { bus.abandonCall(serial: serial) }
      throw transactionTimedOut(error, id) ?? error
    }
  }

  /// Sends a call; its reply is an event.
  ///
  /// - Parameters:
  ///   - isConclusive: As in ``call(_:limit:isConclusive:lateReply:sending:)``.
  ///   - reply: Called once: on the loop, in the order of arrival; at once when the call cannot be
  ///     sent; or when the call is declared unanswered. A reply after that is dropped, and a
  ///     descriptor in it is closed: the connection has ended, and the caller already accounts for
  ///     what the call may have begun.
  func send(
    _ call: MethodCall, isConclusive: Bool = true,
    reply: @escaping @Sendable (Result<Message, any Error>) -> Void
  ) {
    let id = enter(.handler(reply), isConclusive)
    do {
      let serial = try bus.send(call) { [self] answer in
        let told = answer.mapError { transactionTimedOut($0, id) ?? $0 }
        // The call may have been declared unanswered before its serial was known.
        if leave(id) { reply(told) }
      }
      state.withLock { state in
        guard let place = state.pending.firstIndex(where: { $0.id == id }) else { return }
        state.pending[place].serial = serial
      }
    } catch {
      if leave(id) { reply(.failure(error)) }
    }
  }

  /// Sends a call that cleans up; its reply is an event. After a clean-up that was left unanswered, the
  /// reply is assumed.
  func sendCleanUp(
    _ call: MethodCall, reply: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    do {
      if isSilent {
        try bus.send(call.withoutReply())
        reply(.success(()))
      } else {
        try bus.send(call) { reply($0.map { _ in }) }
      }
    } catch {
      reply(.failure(error))
    }
  }

  /// A clean-up was left unanswered.
  func cleanUpUnanswered() { state.withLock { $0.isSilent = true } }

  /// Whether a clean-up was left unanswered: the next clean-up then does not wait for its reply.
  var isSilent: Bool { state.withLock { $0.isSilent } }

  /// Sends a call that cleans up, and waits for its reply, unless the last clean-up was left unanswered.
  ///
  /// So a run that is cancelled while the bus does not answer waits for one of its clean-ups, not for each.
  func cleanUp(_ call: MethodCall) async throws {
    if isSilent { return try bus.send(call.withoutReply()) }
    do {
      _ = try await bus.call(call, limit: limits.call, lateReply: nil)
    } catch let error as TimedOut {
      cleanUpUnanswered()
      throw error
    }
  }

  private func enter(_ caller: Caller, _ isConclusive: Bool) -> UInt64 {
    let now = bus.loop.now
    return state.withLock { state in
      state.isSilent = false
      state.nextID += 1
      state.pending.append(
        Pending(id: state.nextID, since: now, isConclusive: isConclusive, caller: caller)
      )
      return state.nextID
    }
  }

  /// - Returns: Whether the call was pending.
  @discardableResult
  private func leave(_ id: UInt64) -> Bool {
    state.withLock { state in
      // Mostly there is no other call.
      guard let place = state.pending.lastIndex(where: { $0.id == id }) else { return false }
      state.pending.remove(at: place)
      return true
    }
  }

  /// The meaning of an error that arrived so late that it is not the device's: the device did not
  /// respond at all.
  ///
  /// bluetoothd reports that with an error code that devices return too, and drops the connection
  /// only 2 s later.
  ///
  /// - Source: BlueZ 5.66, `src/shared/att.c` (ATT_TIMEOUT_INTERVAL); recorded from bluetoothd.
  private func transactionTimedOut(_ error: any Error, _ id: UInt64?) -> Cause? {
    guard let error = error as? DBusError else { return nil }
    let since = state.withLock { $0.pending.first { $0.id == id }?.since }
    guard error.refusal == .att(.unlikelyError), let since,
      bus.loop.now - since > .milliseconds(29_500)
    else { return nil }
    return Cause.transactionTimedOut.reported(by: ErrorAnswer(error))
  }

  /// The connection has ended: pending calls get a moment for a reply, and fail then.
  ///
  /// - Parameters:
  ///   - isRemoved: Whether bluetoothd removed the device, rather than losing the connection.
  ///   - wasPaired: Whether there was a bond.
  func linkEnded(isRemoved: Bool, wasPaired: Bool) {
    let now = bus.loop.now
    let left = state.withLock { $0.pending }
    guard !left.isEmpty else { return }
    bus.loop.after(limits.unanswered) { [self] in
      for call in left {
        let problem = Cause.unanswered(
          after: now - call.since, isRemoved: isRemoved,
          mayWantPairing: call.isConclusive && !wasPaired
        )
        declareUnanswered(call.id, problem)
      }
    }
  }
}

extension AttributeCalls {
  /// Fails a call, if it is still pending, and makes the bus forget it.
  private func declareUnanswered(_ id: UInt64, _ problem: Cause) {
    guard let call = state.withLock({ $0.pending.first { $0.id == id } }), leave(id) else { return }
    if let serial = call.serial { bus.abandonCall(serial: serial) }
    call.caller.fail(problem)
  }

  /// The device's object was removed after its connection ended: bluetoothd no longer replies. When
  /// the adapter was unplugged, it has not replied at the end of the connection either.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func deviceRemoved() {
    let now = bus.loop.now
    let left = state.withLock { $0.pending }
    // A request that waited longer may have required pairing; its own wait reports that in time.
    for call in left where now - call.since < Cause.leastSecurityWait {
      declareUnanswered(call.id, .deviceRemoved)
    }
  }
}

extension Cause {
  /// The minimum time for which a request waits for a pairing before bluetoothd removes the device
  /// for it; the Security Manager times out after 30 s. A device that is removed earlier was
  /// removed by a program.
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §3.4 (SMP timeout).
  fileprivate static let leastSecurityWait = Duration.seconds(20)

  /// The failure cause of a request that got no reply before its connection ended.
  ///
  /// - Parameters:
  ///   - wait: The time that the request had been waiting when the connection ended.
  ///   - mayWantPairing: There was no bond, and nothing else keeps bluetoothd from replying. With a
  ///     bond the connection may just have been about to be encrypted.
  static func unanswered(after wait: Duration, isRemoved: Bool, mayWantPairing: Bool) -> Cause {
    if isRemoved, wait < leastSecurityWait { return .deviceRemoved }
    return mayWantPairing ? .pairingAwaited : .linkLost
  }
}
