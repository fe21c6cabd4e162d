// Disconnecting: Disconnect, its reply, and the confirmed end of the connection.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension DeviceLink {
  /// Disconnects, whoever connected, and waits until the connection is down.
  func disconnect() async throws {
    // What is about to reconnect is not to undo this.
    for subscription in subscriptions { subscription.disconnecting(.notConnected) }
    // A turn that connects as soon as the connection is down is none of these.
    var ended: [Holder] = []
    loop: while true {
      ended = state.withLock { $0.holders }
      switch take(.disconnectWanted) {
      case .callDisconnect:
        try await callDisconnectAndSee()
        break loop
      case .waitUntilDown:
        if try await !waitUntilDown(), isConnectOpen { throw Cause.stillConnected }
      case .nothing, .adopt, .callConnect, .reportLoss:
        break loop
      }
    }
    let turns = ended.map(\.turn)
    state.withLock { state in
      state.isKept = false
      state.holders.removeAll { holder in turns.contains { $0 === holder.turn } }
    }
    for holder in ended { holder.turn.cancelRelease(holder.entry) }
  }

  /// A part of a turn needs the connection no longer: disconnects, unless another part of it or
  /// another turn holds it, it is to be kept, or it existed before.
  func endUse(by turn: Turn) async throws {
    let staysUp: Bool? = state.withLock { state in
      guard let place = state.holders.firstIndex(where: { $0.turn === turn }) else { return nil }
      state.holders[place].uses -= 1
      guard state.holders[place].uses <= 0 else { return nil }
      return state.isKept || state.holders.count > 1
    }
    guard let staysUp else { return }
    if !staysUp { try await disconnectUnlessShared() }
    letGo(of: turn)
  }

  /// A turn needs the connection no longer, however often it connected: disconnects, unless another
  /// turn holds it or it is to be kept.
  ///
  /// - Returns: Whether the connection stays up.
  func leave(by turn: Turn) async throws -> Bool {
    let isHeld: Bool? = state.withLock { state in
      guard state.holders.contains(where: { $0.turn === turn }) else { return nil }
      return state.isKept || state.holders.contains { $0.turn !== turn }
    }
    guard let isHeld else { return false }
    let staysUp = if isHeld { true } else { try await disconnectUnlessShared() }
    letGo(of: turn)
    return staysUp
  }

  /// Disconnects, unless other processes of ours use the connection: the last one ends it.
  ///
  /// - Returns: Whether they do.
  @discardableResult
  private func disconnectUnlessShared() async throws -> Bool {
    // Where nobody may be waited for any more, others are still looked for.
    let isDone = try? await lockUse()
    defer { isDone?() }
    guard !leaveToOthers() else { return true }
    try await disconnect()
    return false
  }

  /// The turn ends: disconnects, unless another turn holds the connection or it is to be kept.
  ///
  /// A connection that has ended by itself is left alone: one that is up now belongs to somebody
  /// else.
  func release(from turn: Turn) async throws {
    let isOver = state.withLock { state in
      state.holders.removeAll { $0.turn === turn }
      return state.isKept || !state.holders.isEmpty || state.machine.phase == .idle
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
  func callDisconnectAndSee() async throws {
    state.withLock { $0.callError = nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.callDisconnect() }
      defer { group.cancelAll() }
      let isOver = try await state.until("disconnecting", on: loop, limit: limits.disconnect) {
        state -> Bool? in
        switch state.machine.phase {
        // A pending Connect might still make another connection.
        case .disconnecting where state.machine.fellUnanswered && state.pendingConnects == 0:
          return false
        case .disconnecting: return nil
        case .idle: return true
        case .connecting, .resolving, .ready: throw state.callError ?? Cause.stillConnected
        }
      }
      if !isOver { try await seeAnswered() }
    }
  }

  /// The connection has dropped: the reply to Disconnect arrives with that, or is not needed.
  private func seeAnswered() async throws {
    do {
      try await state.until("the answer to Disconnect", on: loop, limit: limits.release) {
        $0.machine.phase == .disconnecting ? nil : ()
      }
    } catch is TimedOut where !Task.isCancelled {
      take(.disconnectAnswered(success: true))
    }
  }

  private func callDisconnect() async {
    let answered: @Sendable (Result<Message, DBusError>) -> Void = { [self] answer in
      switch answer {
      case .success: take(.disconnectAnswered(success: true))
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
      take(.disconnectAnswered(success: false))
    } catch {
      // The caller's own wait reports the error; the reply may still arrive.
      return
    }
  }

  /// Ends a connection of this program that is not to be kept; does not wait for that.
  func release() {
    let isOurs = state.withLock { state in
      let isBegun = state.machine.phase != .connecting || state.isConnectSent
      return isBegun && state.machine.phase != .idle && state.machine.maker == .us && !state.isKept
    }
    if isOurs { try? bus.send(disconnectCall.withoutReply()) }
  }

  private func disconnectRefused(_ error: DBusError) {
    let answer = ErrorAnswer(error)
    switch answer.name {
    case BlueZErrorName.Bus.unknownObject:
      take(.removed)
    case BlueZErrorName.notConnected:
      take(.disconnectAnswered(success: true))
    case BlueZErrorName.Bus.serviceUnknown, BlueZErrorName.Bus.nameHasNoOwner:
      take(.daemonGone)
    case BlueZErrorName.Bus.disconnected:
      // The bus ended before the reply; bluetoothd may still be running.
      lostDaemon(.busLost)
    default:
      if answer == .recipientLeft {
        take(.daemonGone)
      } else {
        state.withLock { $0.callError = error }
        take(.disconnectAnswered(success: false))
      }
    }
  }

  /// Waits for a pending Disconnect.
  ///
  /// An unanswered one ends here: the state then follows what bluetoothd last reported.
  ///
  /// - Returns: Whether it was answered.
  @discardableResult
  func waitUntilDown() async throws -> Bool {
    do {
      // A bus that has left a clean-up unanswered is not waited for again.
      let limit = calls.isSilent ? .zero : limits.disconnect
      try await state.until("the end of the last link", on: loop, limit: limit) {
        $0.machine.phase == .disconnecting ? nil : ()
      }
      return true
    } catch is TimedOut where !Task.isCancelled {
      take(.disconnectAnswered(success: false))
      return false
    }
  }
}
