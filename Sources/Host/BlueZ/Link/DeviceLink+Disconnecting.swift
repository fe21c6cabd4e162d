// Disconnecting: Disconnect, its reply, and the confirmed end of the connection.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension DeviceLink {
  /// Disconnects, even a connection of another program, and waits until the connection is down.
  func disconnect() async throws {
    // A subscription that is about to reconnect must not undo this.
    for subscription in subscriptions { subscription.disconnecting(.notConnected) }
    // Without the uses of a turn that connects as soon as the connection is down.
    var ended = LinkUses()
    loop: while true {
      ended = state.withLock { $0.uses }
      switch apply(.disconnectWanted) {
      case .callDisconnect:
        try await disconnectAndWait()
        break loop
      case .waitUntilDown:
        if try await !waitUntilDown(), isConnectOpen { throw Cause.stillConnected }
      case .nothing, .adopt, .callConnect, .reportLoss:
        break loop
      }
    }
    state.withLock { $0.uses.end(ended) }
    ended.cancelReleases()
  }

  /// Ends one use of the connection by a turn: disconnects, unless the turn has another use,
  /// another turn holds the connection, it is to be kept, or it existed before.
  func endUse(by turn: Turn) async throws {
    let (isLast, staysUp) = state.withLock {
      ($0.uses.endUse(by: turn), $0.uses.staysUp(without: turn))
    }
    guard isLast else { return }
    if !staysUp { try await disconnectUnlessShared() }
    removeUses(of: turn)
  }

  /// Ends the use of the connection by a turn, however often it connected: disconnects, unless another
  /// turn holds it or it is to be kept.
  ///
  /// - Returns: Whether the connection stays up.
  func endAllUses(by turn: Turn) async throws -> Bool {
    let (holds, isHeld) = state.withLock {
      ($0.uses.isHeld(by: turn), $0.uses.staysUp(without: turn))
    }
    guard holds else { return false }
    let staysUp = if isHeld { true } else { try await disconnectUnlessShared() }
    removeUses(of: turn)
    return staysUp
  }

  /// Disconnects, unless other processes with the same ledger use the connection: the last one ends it.
  ///
  /// - Returns: Whether other processes use the connection.
  @discardableResult
  private func disconnectUnlessShared() async throws -> Bool {
    // Even if the lock is not acquired in time: other processes may still use the connection.
    let isDone = try? await lockUse()
    defer { isDone?() }
    guard !leaveToOthers() else { return true }
    try await disconnect()
    return false
  }

  /// Disconnects at the end of a turn, unless another turn holds the connection or it is to be
  /// kept.
  ///
  /// A connection that has ended by itself is left alone: one that is up now belongs to another
  /// program.
  func release(from turn: Turn) async throws {
    let isOver = state.withLock { state in
      state.uses.remove(turn)
      return state.uses.isKept || !state.uses.isEmpty || state.machine.phase == .idle
    }
    if !isOver { try await disconnectUnlessShared() }
  }

  /// Whether a Connect without a reply may still make a connection.
  private var isConnectOpen: Bool {
    state.withLock { !$0.machine.isUp && $0.pendingConnects > 0 }
  }

  /// Whether the end of the connection was requested.
  var isEnding: Bool { state.withLock { $0.machine.phase == .disconnecting } }

  /// Calls Disconnect, as the state requested, and waits for the reply and the end of the
  /// connection.
  func disconnectAndWait() async throws {
    state.withLock { $0.callError = nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.callDisconnect() }
      defer { group.cancelAll() }
      let isOver = try await state.until("disconnecting", on: loop, limit: limits.disconnect) {
        state -> Bool? in
        switch state.machine.phase {
        // A pending Connect might still make another connection.
        case .disconnecting where state.machine.droppedBeforeReply && state.pendingConnects == 0:
          return false
        case .disconnecting: return nil
        case .idle: return true
        case .connecting, .resolving, .ready: throw state.callError ?? Cause.stillConnected
        }
      }
      if !isOver { try await seeAnswered() }
    }
  }

  /// Waits for the reply to Disconnect once the connection has dropped. The reply arrives with the
  /// drop; if not, it is not needed.
  private func seeAnswered() async throws {
    do {
      try await state.until("the answer to Disconnect", on: loop, limit: limits.release) {
        $0.machine.phase == .disconnecting ? nil : ()
      }
    } catch is TimedOut where !Task.isCancelled {
      apply(.disconnectAnswered(success: true))
    }
  }

  private func callDisconnect() async {
    let answered: @Sendable (Result<Message, DBusError>) -> Void = { [self] answer in
      switch answer {
      case .success: apply(.disconnectAnswered(success: true))
      case .failure(let error): disconnectRefused(error)
      }
    }
    do {
      let reply = try await bus.call(disconnectCall, limit: limits.disconnect, lateReply: answered)
      answered(.success(reply))
    } catch let error as DBusError {
      answered(.failure(error))
    } catch BusFailure.closed {
      // A closed bus reports nothing: what was sent before may still be executed.
      lostDaemon(.busLost)
    } catch let failure as BusFailure {
      // The call was not sent.
      state.withLock { $0.callError = failure }
      apply(.disconnectAnswered(success: false))
    } catch {
      // The caller's own wait reports the error; the reply may still arrive.
      return
    }
  }

  /// Ends a connection of this program that is not to be kept; does not wait for that.
  func release() {
    let isOurs = state.withLock { state in
      let isBegun = state.machine.phase != .connecting || state.isConnectSent
      return isBegun && state.machine.phase != .idle && state.machine.maker == .us
        && !state.uses.isKept
    }
    if isOurs { try? bus.send(disconnectCall.withoutReply()) }
  }

  private func disconnectRefused(_ error: DBusError) {
    let refusal = error.refusal
    if refusal == .unknownObject {
      apply(.removed)
    } else if refusal == .notConnected {
      apply(.disconnectAnswered(success: true))
    } else if [.daemonMissing, .daemonLeft].contains(refusal) {
      apply(.daemonGone)
    } else if refusal == .busLost {
      // The bus ended before the reply; bluetoothd may still be running.
      lostDaemon(.busLost)
    } else {
      state.withLock { $0.callError = error }
      apply(.disconnectAnswered(success: false))
    }
  }

  /// Waits for a pending Disconnect.
  ///
  /// A Disconnect without a reply ends here: the state then follows what bluetoothd last reported.
  ///
  /// - Returns: Whether it was answered.
  @discardableResult
  func waitUntilDown() async throws -> Bool {
    do {
      // A bus that did not answer an earlier clean-up call is not waited for again.
      let limit = calls.isSilent ? .zero : limits.disconnect
      try await state.until("the end of the last link", on: loop, limit: limit) {
        $0.machine.phase == .disconnecting ? nil : ()
      }
      return true
    } catch is TimedOut where !Task.isCancelled {
      apply(.disconnectAnswered(success: false))
      return false
    }
  }
}
