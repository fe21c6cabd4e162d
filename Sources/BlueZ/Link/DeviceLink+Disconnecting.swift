// Ending a link: Disconnect, its answer, and the link seen to be down.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension DeviceLink {
  /// Disconnects, whoever made the link, and waits until it is seen to be down.
  func disconnect() async throws {
    loop: while true {
      switch take(.disconnectWanted) {
      case .callDisconnect:
        try await callDisconnectAndSee()
        break loop
      case .waitUntilDown:
        try await waitUntilDown()
      case .nothing, .adopt, .callConnect, .reportLoss:
        break loop
      }
    }
    let holders = state.withLock { state in
      state.isKept = false
      defer { state.holders = [] }
      return state.holders
    }
    for holder in holders { holder.turn.leave(holder.entry) }
  }

  /// The turn ends: disconnects, unless another turn holds the link or it is to be kept.
  ///
  /// A link that has ended by itself is left alone: one that is up now is somebody else's.
  func release(from turn: Turn) async throws {
    let isOver = state.withLock { state in
      state.holders.removeAll { $0.turn === turn }
      return state.isKept || !state.holders.isEmpty || state.machine.phase == .idle
    }
    if !isOver { try await disconnect() }
  }

  /// Whether the end of the link was asked for.
  var isEnding: Bool { state.withLock { $0.machine.phase == .disconnecting } }

  /// Calls Disconnect, which the state has asked for, and waits for the answer and the link's end.
  func callDisconnectAndSee() async throws {
    state.withLock { $0.callError = nil }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { await self.callDisconnect() }
      defer { group.cancelAll() }
      let isOver = try await wait("disconnecting", limit: limits.disconnect) {
        state -> Result<Bool, any Error>? in
        switch state.machine.phase {
        // A Connect under way might still make another link.
        case .disconnecting where state.machine.fellUnanswered && state.pendingConnects == 0:
          .success(false)
        case .disconnecting: nil
        case .idle: .success(true)
        case .connecting, .resolving, .ready:
          .failure(state.callError ?? Problem(.stillConnected))
        }
      }
      if !isOver { try await seeAnswered() }
    }
  }

  /// The link has fallen: the answer to Disconnect comes with that, or it does not matter.
  private func seeAnswered() async throws {
    do {
      try await wait("the answer to Disconnect", limit: limits.release) {
        $0.machine.phase == .disconnecting ? nil : .success(())
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
      // A closed bus cannot tell: what was sent before may be obeyed.
      lostDaemon(.busLost)
    } catch let failure as BusFailure {
      // It was not sent.
      state.withLock { $0.callError = failure }
      take(.disconnectAnswered(success: false))
    } catch {
      // Who waits is told by its own wait; the answer may still come.
      return
    }
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
      // The bus ended while the answer was still out; bluetoothd may be well.
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

  /// Waits for a Disconnect that is under way.
  ///
  /// One that is never answered ends here: the state then follows what bluetoothd last said.
  ///
  /// - Returns: Whether it was answered.
  @discardableResult
  func waitUntilDown() async throws -> Bool {
    do {
      try await wait("the end of the last link", limit: limits.disconnect) {
        $0.machine.phase == .disconnecting ? nil : .success(())
      }
      return true
    } catch is TimedOut where !Task.isCancelled {
      take(.disconnectAnswered(success: false))
      return false
    }
  }
}
