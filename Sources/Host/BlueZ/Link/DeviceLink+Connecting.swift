// Connecting: Connect, then ServicesResolved, racing everything that can end it.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension DeviceLink {
  /// Connects, or uses the existing connection, and waits until its services are resolved.
  ///
  /// - Parameters:
  ///   - turn: Owns the connection if it is ours, unless it is to be kept.
  ///   - name: The name of the device, for the failure to release the connection.
  ///   - keep: Whether the connection stays up when the turn ends.
  ///   - release: Called at the end of the turn.
  ///   - check: Further requirements for the connection. When it throws, a connection that this
  ///     call made is undone.
  /// - Returns: The origin of the connection.
  /// - Throws: ``Cause``, D-Bus errors, the errors of a wait. A connection that this call made is
  ///   then down again, or stays entered in the turn when that could not be confirmed.
  func connect(
    in turn: Turn, named name: String, keep: Bool,
    release: @escaping @Sendable () async throws -> Void, check: () async throws -> Void
  ) async throws -> LinkOrigin {
    while true {
      switch try await begin() {
      case .callConnect:
        state.withLock { $0.uses.isKept = keep }
        if !keep { hold(in: turn, name, release) }
        recordAttempt()
        let begun = loop.now
        try await attempt(in: turn, check)
        reportConnected(since: begun)
        if keep { eraseRecord() } else { recordConnection() }
        return .made
      case .waitUntilDown:
        if try await !waitUntilDown() { try await endAgain() }
      case .adopt, .nothing, .callDisconnect, .reportLoss:
        // The connection already exists, or another part of this program is making it.
        let (isHeld, isOwn) = state.withLock { state in
          if keep { state.uses.isKept = true }
          let isOwn = state.machine.maker == .us
          return ((isOwn || state.isShared) && !state.uses.isKept, isOwn)
        }
        if isHeld { hold(in: turn, name, release) }
        do {
          try await waitUntilReady()
          try await check()
        } catch {
          if isHeld { await giveBackUse(of: turn) }
          throw error
        }
        // A connection that this program keeps is its own, not one of another program.
        return isHeld || keep && isOwn ? .shared : .found
      }
    }
  }

  /// Requests the connection. An existing one is recorded as used before another process can end
  /// it.
  private func begin() async throws -> LinkState.Action {
    var isDone: (@Sendable () -> Void)?
    defer { isDone?() }
    if state.withLock({ $0.machine.phase == .idle && $0.machine.isUp }) {
      isDone = try await lockUse()
      // If another process has ended the connection, its end arrives before this reply.
      if isDone != nil { _ = try await bus.nameOwner(OrgBlueZ.busName) }
    }
    let action = apply(.connectWanted)
    switch action {
    case .adopt, .nothing: recordUse()
    case .callConnect, .callDisconnect, .waitUntilDown, .reportLoss: break
    }
    return action
  }

  /// Ends a connection of this program that bluetoothd has left up; it is not used again.
  private func endAgain() async throws {
    guard apply(.abandoned) == .callDisconnect else { return }
    do {
      try await disconnectAndWait()
    } catch is TimedOut where !Task.isCancelled {
      throw Cause.stillConnected
    }
  }

  private func attempt(in turn: Turn, _ check: () async throws -> Void) async throws {
    state.withLock { state in
      state.callError = nil
      state.isConnectSent = false
    }
    do {
      try await waitUntilQuiet()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await self.callConnect() }
        defer { group.cancelAll() }
        try await waitUntilReady()
      }
      try await check()
    } catch {
      await undo(in: turn)
      throw error
    }
  }

  /// Waits until bluetoothd has closed the ATT channel of the last connection.
  ///
  /// bluetoothd reports the end of a connection first and closes the channel afterwards; a Connect
  /// that it reads in between is never answered, or fails with an input/output error.
  ///
  /// - Source: BlueZ 5.66, `src/device.c`: att_disconnected_cb ends the new connection attempt too.
  private func waitUntilQuiet() async throws {
    guard let end = state.withLock({ $0.endedAt }) else { return }
    let rest = end + limits.quiet - loop.now
    if rest > .zero { try await loop.sleep(for: rest) }
  }

  /// Calls Connect and passes its reply to the state, in time or late.
  private func callConnect() async {
    // The caller was cancelled, or bluetoothd disappeared, before anything was sent.
    if Task.isCancelled { return }
    let isWanted = state.withLock { state in
      guard state.machine.phase != .idle else { return false }
      state.pendingConnects += 1
      state.isConnectSent = true
      return true
    }
    guard isWanted else { return }
    do {
      _ = try await bus.call(connectCall, limit: limits.connect) { [self] in lateConnect($0) }
      state.withLock { $0.pendingConnects = max(0, $0.pendingConnects - 1) }
      apply(.connectAnswered(success: true))
    } catch {
      // An unanswered call is counted until its late reply.
      if error is DBusError {
        state.withLock { $0.pendingConnects = max(0, $0.pendingConnects - 1) }
      }
      // Cancelled with its caller. The caller's undo follows, after this wait has ended.
      if error is CancellationError { return }
      state.withLock { $0.callError = error }
      if case BusFailure.closed = error { return lostDaemon(.busLost) }
      if error is TimedOut { state.announce() } else { apply(.connectAnswered(success: false)) }
    }
  }

  /// Handles a reply to Connect that arrives after its caller timed out or was cancelled.
  private func lateConnect(_ answer: Result<Message, DBusError>) {
    let isOtherPending = state.withLock { state in
      state.pendingConnects = max(0, state.pendingConnects - 1)
      return state.pendingConnects > 0
    }
    let isSuccess = if case .success = answer { true } else { false }
    // The failure of an abandoned attempt is not the result that the present attempt waits for.
    if !isSuccess, isOtherPending { return }
    guard apply(.connectAnswered(success: isSuccess)) == .callDisconnect else { return }
    // The undo of this attempt was answered before this reply: disconnect again, without waiting.
    try? bus.send(disconnectCall.withoutReply())
  }

  /// Ends the connection that a Pair made, or still makes, when its reply, with any result, arrives
  /// after its caller timed out or was cancelled, or outside a turn.
  ///
  /// - Source: BlueZ 5.66, `src/device.c`: pair_device, device_request_disconnect.
  func latePair(since disconnectCount: Int) {
    let isUnused = state.withLock {
      $0.machine.phase == .idle && $0.disconnectCount > disconnectCount
    }
    if isUnused { try? bus.send(disconnectCall.withoutReply()) }
  }

  /// Handles the end of a Pair, or of the wait for it: the connection that it made is ours, and the
  /// turn ends it, unless connections are to be kept.
  ///
  /// - Returns: Whether it made one.
  func pairEnded(
    since disconnectCount: Int, in turn: Turn, named name: String,
    release: @escaping @Sendable () async throws -> Void
  ) -> Bool {
    guard hasMadeConnection(since: disconnectCount) else { return false }
    apply(.madeByPair)
    recordAttempt()
    recordConnection()
    reportConnected(since: loop.now)
    let isHeld = state.withLock { $0.uses.isKept || $0.uses.isHeld(by: turn) }
    if !isHeld { hold(in: turn, name, release) }
    return true
  }

  /// Whether a Pair, which connects if necessary, has made a connection: one that came up after the
  /// one that it was called on, and that is not used here.
  ///
  /// - Parameter disconnectCount: The count when Pair was called.
  private func hasMadeConnection(since disconnectCount: Int) -> Bool {
    state.withLock { state in
      state.machine.phase == .idle && state.machine.isUp && state.disconnectCount > disconnectCount
    }
  }

  /// Waits until the services are resolved.
  private func waitUntilReady() async throws {
    let isReady = try await state.until("connecting", on: loop, limit: limits.connect) {
      state -> Bool? in
      switch state.machine.phase {
      case .ready: return true
      case .resolving: return false
      case .connecting:
        if let error = state.callError { throw error }
        return nil
      case .idle, .disconnecting: throw Self.ended(state)
      }
    }
    if isReady { return }
    do {
      try await state.until("resolving the services", on: loop, limit: limits.resolve) { state in
        switch state.machine.phase {
        case .ready: return ()
        case .connecting, .resolving: return nil
        case .idle, .disconnecting: throw Self.ended(state)
        }
      }
    } catch let error as TimedOut {
      throw Cause.servicesUnread(Cause.within(error)).caused(by: error)
    }
  }

  private static func ended(_ state: State) -> any Error {
    switch state.machine.ending {
    case .refused: state.callError ?? Cause.linkLost
    case .removed: Cause.deviceRemoved
    case .daemonGone: state.callError ?? state.daemonProblem
    case .disconnected: Cause.disconnectedMeanwhile
    case .lost: Cause.lostWhileResolving
    case nil: Cause.disconnectedMeanwhile
    }
  }

  /// Undoes our own attempt, shielded, and waits for the reply to the undo.
  private func undo(in turn: Turn) async {
    guard state.withLock({ $0.isConnectSent }) else {
      // This program made no connection: an existing one belongs to another program.
      apply(.connectAnswered(success: false))
      return removeUses(of: turn)
    }
    if !leaveToOthers(), apply(.abandoned) == .callDisconnect {
      do {
        try await shielded(on: loop, limit: limits.disconnect) { [self] in
          try await disconnectAndWait()
        }
      } catch {
        // The turn tries once more at its end, and reports a failure.
        return
      }
    }
    removeUses(of: turn)
  }

  // MARK: Owners

  /// Makes the turn release the connection at its end.
  private func hold(
    in turn: Turn, _ name: String, _ release: @escaping @Sendable () async throws -> Void
  ) {
    if state.withLock({ $0.uses.addUse(by: turn) }) { return }
    let entry = turn.registerRelease(of: "the link to \(name)", release: release)
    state.withLock { $0.uses.hold(by: turn, releasedBy: entry) }
  }

  /// Gives back the use of a connect that failed on a connection that existed, shielded.
  private func giveBackUse(of turn: Turn) async {
    // The turn tries once more at its end, and reports a failure.
    try? await shielded(on: loop, limit: limits.disconnect) { [self] in
      try await endUse(by: turn)
    }
  }

  /// Whether a turn has connected, and has not released that yet.
  func isHeld(by turn: Turn) -> Bool { state.withLock { $0.uses.isHeld(by: turn) } }

  /// Removes the extra use of a connect that replaced a connection which the turn held.
  func joinUses(of turn: Turn) { state.withLock { $0.uses.joinUses(of: turn) } }

  /// Removes the uses of a turn that has nothing left to release.
  func removeUses(of turn: Turn) {
    if let entry = state.withLock({ $0.uses.remove(turn) }) { turn.cancelRelease(entry) }
  }
}
