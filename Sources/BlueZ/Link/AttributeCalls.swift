// Calls about the attributes of one device, which end with the link though nobody answers them.
//
// bluetoothd answers what is pending as a link ends, but for two kinds: a request that waits for the
// link to be secured is forgotten with it, and so is every one where the adapter is pulled out.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The calls about a device's attributes that bluetoothd has not answered.
///
/// - Source: BlueZ 5.66, `src/shared/att.c`: disconnect_cb answers the pending request and those
///   that wait for their turn; one that change_security has put back into its channel's queue is
///   freed with the channel.
final class AttributeCalls: Sendable {
  private struct Pending {
    let id: UInt64
    let since: Instant
    /// Whether silence tells that it waited for the link to be secured.
    let isConclusive: Bool
    let caller: Completion<Message>
  }

  private struct State {
    var pending: [Pending] = []
    var nextID: UInt64 = 0
  }

  private let bus: any MessageBus
  private let limits: BlueZLimits
  private let state = Guarded(State())

  init(bus: any MessageBus, limits: BlueZLimits) {
    self.bus = bus
    self.limits = limits
  }

  /// Sends a call and waits for its reply, no longer than a moment beyond the end of the link.
  ///
  /// - Parameter isConclusive: Whether bluetoothd answers such a call as the link ends, unless it
  ///   waits for the link to be secured.
  /// - Throws: What `MessageBus.call` throws; ``Problem`` when the link ended and no answer came.
  @inline(__always)
  nonisolated(nonsending)
    func call(
      _ call: MethodCall,
      isConclusive: Bool = true,
      lateReply: (@Sendable (Result<Message, DBusError>) -> Void)? = nil
    ) async throws -> Message
  {
    var serial: UInt32?
    var id: UInt64?
    defer { if let id { leave(id) } }
    do {
      return try await wait(
        on: bus.loop,
        operation: call.operation,
        otherwise: limits.attribute
      ) { caller in
        id = enter(caller, isConclusive)
        serial = try bus.begin(call, for: caller, lateReply: lateReply)
      }
    } catch {
      if let serial { bus.leave(serial) }
      throw transactionTimedOut(error, id) ?? error
    }
  }

  private func enter(_ caller: Completion<Message>, _ isConclusive: Bool) -> UInt64 {
    let now = bus.loop.now
    return state.withLock { state in
      state.nextID += 1
      state.pending.append(
        Pending(id: state.nextID, since: now, isConclusive: isConclusive, caller: caller)
      )
      return state.nextID
    }
  }

  private func leave(_ id: UInt64) {
    state.withLock { state in
      // Mostly there is no other.
      if state.pending.last?.id == id {
        state.pending.removeLast()
      } else {
        state.pending.removeAll { $0.id == id }
      }
    }
  }

  /// What an error means that came so late that it is not the device's: it did not answer at all.
  ///
  /// bluetoothd's own word for that is an error code that devices send too, and it drops the link
  /// only 2 s after it.
  ///
  /// - Source: BlueZ 5.66, `src/shared/att.c` (ATT_TIMEOUT_INTERVAL); recorded from bluetoothd.
  private func transactionTimedOut(_ error: any Error, _ id: UInt64?) -> Problem? {
    guard let error = error as? DBusError else { return nil }
    let answer = ErrorAnswer(error)
    let since = state.withLock { $0.pending.first { $0.id == id }?.since }
    guard answer.attErrorCode == .unlikelyError, let since,
      bus.loop.now - since > .milliseconds(29_500)
    else { return nil }
    return Problem(.transactionTimedOut, answer: answer)
  }

  /// The link has ended: what is pending is given a moment to be answered, and fails then.
  ///
  /// - Parameters:
  ///   - isRemoved: Whether bluetoothd removed the device, rather than losing its link.
  ///   - wasPaired: Whether there was a bond.
  func linkEnded(isRemoved: Bool, wasPaired: Bool) {
    let now = bus.loop.now
    let left = state.withLock { $0.pending }
    guard !left.isEmpty else { return }
    bus.loop.after(limits.unanswered) {
      for call in left {
        let explanation = Explanation.unanswered(
          after: now - call.since,
          isRemoved: isRemoved,
          mayWantPairing: call.isConclusive && !wasPaired
        )
        call.caller.fail(Problem(explanation))
      }
    }
  }
}

extension AttributeCalls {
  /// The device's object has gone after its link: bluetoothd does not answer any more. Where the
  /// adapter was pulled out, it has not answered as the link ended either.
  ///
  /// - Source: recorded from bluetoothd 5.66.
  func deviceRemoved() {
    let now = bus.loop.now
    let left = state.withLock { $0.pending }
    // One that waited for longer may have wanted a pairing, and is told so in time.
    for call in left where now - call.since < Explanation.leastSecurityWait {
      call.caller.fail(Problem(.deviceRemoved))
    }
  }
}

extension Explanation {
  /// How long a request at least waits for a pairing before bluetoothd removes the device for it;
  /// the Security Manager gives up after 30 s. A device that is removed sooner was removed by
  /// somebody.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §3.4 (SMP timeout).
  fileprivate static let leastSecurityWait = Duration.seconds(20)

  /// What it means that a request was not answered before its link ended.
  ///
  /// - Parameters:
  ///   - wait: How long it had been waiting when the link ended.
  ///   - mayWantPairing: There was no bond, and nothing else keeps bluetoothd from answering. With
  ///     a bond the link may just have been about to be encrypted.
  static func unanswered(
    after wait: Duration,
    isRemoved: Bool,
    mayWantPairing: Bool
  ) -> Explanation {
    if isRemoved, wait < leastSecurityWait { return .deviceRemoved }
    return mayWantPairing ? .pairingAwaited : .linkLost
  }
}
