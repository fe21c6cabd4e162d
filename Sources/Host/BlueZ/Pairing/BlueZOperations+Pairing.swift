// Pairing, unpairing, and trust.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension BlueZOperations {
  func pair(_ answers: PairingAnswers) async throws -> PairingOutcome {
    try await explaining(.pair, "pairing") {
      try await client.synchronize()
      let device = try await linkedDevice()
      // Read here: the connection may drop while the pairing waits for its turn and for the agent.
      let disconnectCount = link(to: device).disconnectCount
      // On an LE-only adapter, bluetoothd does not reply to `Pair` on a paired device.
      if client.withTree({ $0.isPaired(device) }) { return try await keep(device, answers) }
      let agent = client.agent
      return try await agent.pairing(deviceDescription, answers.offeredCapability) {
        if client.withTree({ $0.isPaired(device) }) { return .already }
        let entry = try await agent.enter(answers) { device }
        do {
          let isNew = try await callPair(device, since: disconnectCount)
          let isAuthenticated = agent.isAuthenticated(entry)
          // Checked before the agent is unregistered: the adapter is not pairable afterwards.
          let hasNoBond = client.withTree { $0.isPairedWithoutBond(device) }
          await agent.leave(entry)
          guard isNew else { return .already }
          if answers.refusesAll {
            try await remove(device)
            throw Cause.pairingUnasked
          }
          state.withLock { $0.unbonded = hasNoBond ? device : nil }
          if hasNoBond { throw Cause.bondNotKept }
          return .paired(isAuthenticated: isAuthenticated)
        } catch {
          let refusal = agent.refusal(of: entry)
          await agent.leave(entry)
          // The device was not paired before, so any bond is new.
          if answers.refusesAll, client.withTree({ $0.isPaired(device) }) {
            _ = try? await shielded(on: loop, limit: client.limits.disconnect) { [self] in
              try await remove(device)
            }
          }
          throw Self.explained(error, refusal)
        }
      }
    }
  }

  func answering<Value: Sendable>(
    _ answers: PairingAnswers, _ body: @escaping @Sendable () -> Signal<Value>
  ) -> Signal<Value> {
    let title = "registering a pairing agent"
    return Signal<Value>.using(
      acquire: Signal.operation(of: scheduler, title) { [self] sink in
        let entry = try await explaining(.objects, title) {
          try await client.synchronize()
          return try await client.agent.enter(answers) { [state] in state.withLock { $0.device } }
        }
        try await sink(entry)
      },
      release: { [self] entry in
        Signal { [self] sink in
          await client.agent.leave(entry)
          try await sink(())
        }
      },
      releaseLimit: client.limits.call
    ) { _ in body() }
  }

  // MARK: Pair

  /// Keeps an existing bond, unless it is new and the answers refuse it.
  private func keep(
    _ device: ObjectPath, _ answers: PairingAnswers
  ) async throws -> PairingOutcome {
    // An earlier pairing on this connection left no bond. That holds until the connection ends.
    let isUnbonded = state.withLock { $0.unbonded == device }
    if isUnbonded, client.withTree({ $0.value(Device1.bonded, at: device) }) == false {
      throw Cause.bondNotKept
    }
    guard answers.refusesAll, state.withLock({ $0.bonded == device }) else { return .already }
    try await remove(device)
    throw Cause.pairingUnasked
  }

  /// Returns the device's object, once it is connected.
  private func linkedDevice() async throws -> ObjectPath {
    let known = try knownDevice(on: usableAdapter().path)
    if let known, client.withTree({ $0.isConnected(known) && $0.isResolved(known) }) {
      bind(known)
      return known
    }
    _ = try await connect(keep: false, expecting: [])
    return try connectedDevice()
  }

  /// Pairs. A connection that Pair makes, because the present one drops, belongs to this turn.
  ///
  /// - Parameter disconnectCount: The count when the connection was last used for this pairing.
  /// - Returns: Whether the device was not paired before.
  private func callPair(_ device: ObjectPath, since disconnectCount: Int) async throws -> Bool {
    let link = link(to: device)
    do {
      guard try await sendPair(device, since: disconnectCount) else { return false }
    } catch {
      if Self.mayLeaveConnection(error) { own(link, since: disconnectCount) }
      throw error
    }
    if own(link, since: disconnectCount) { _ = try await connect(keep: false, expecting: []) }
    return true
  }

  /// Whether a Pair with this error may have made a connection; one that was not begun made none.
  private static func mayLeaveConnection(_ error: any Error) -> Bool {
    (error as? DBusError)?.refusal.isAboutPairing ?? true
  }

  /// Makes the present turn end the connection that a Pair has made.
  ///
  /// - Returns: Whether Pair made a connection, which the turn then owns.
  @discardableResult
  private func own(_ link: DeviceLink, since disconnectCount: Int) -> Bool {
    guard let turn = Turn.current else {
      link.latePair(since: disconnectCount)
      return false
    }
    return link.pairEnded(
      since: disconnectCount, in: turn, named: deviceDescription,
      release: releasing(link, from: turn)
    )
  }

  /// Calls Pair, and cancels the pairing when the wait for its reply has ended.
  ///
  /// - Returns: Whether the device was not paired before.
  private func sendPair(_ device: ObjectPath, since disconnectCount: Int) async throws -> Bool {
    let call = MethodCall.bluez(device, Device1.pair)
    let isAnswered = Guarded(false)
    let link = link(to: device)
    do {
      try await withThrowingTaskGroup(of: Void.self) { [self] group in
        defer { group.cancelAll() }
        group.addTask { [self] in
          do {
            _ = try await client.bus.call(call, limit: client.limits.pair) { _ in
              link.latePair(since: disconnectCount)
            }
            isAnswered.withLock { $0 = true }
          } catch let error as DBusError {
            isAnswered.withLock { $0 = true }
            throw error
          }
        }
        // bluetoothd does not reply for a device that it has removed.
        group.addTask { [self] in
          try await client.until("the end of the device", limit: client.limits.pair) { tree in
            if !tree.has(Device1.interface, at: device) { throw Cause.deviceRemoved }
            return nil
          }
        }
        try await group.next()
      }
      return true
    } catch let error as DBusError where error.refusal == .alreadyExists {
      return false
    } catch {
      if isAnswered.withLock({ $0 }) { throw error }
      // The device is paired, even without a reply: the goal is reached.
      if error is TimedOut, client.withTree({ $0.isPaired(device) }) { return true }
      await cancelPairing(of: device)
      throw error
    }
  }

  /// Cancels a pairing in bluetoothd, whatever the reply. The turn goes on when bluetoothd has
  /// handled the cancellation, together with what Pair began.
  ///
  /// CancelPairing removes an existing bond: use it only for a pairing that was not answered.
  private func cancelPairing(of device: ObjectPath) async {
    let call = MethodCall.bluez(device, Device1.cancelPairing)
    let calls = link(to: device).calls
    _ = try? await shielded(on: loop, limit: client.limits.call) { try await calls.cleanUp(call) }
  }

  /// A pairing failure that was caused by an answer of our agent.
  private static func explained(
    _ error: any Error, _ refusal: AgentDialogue.Rejection?
  ) -> any Error {
    guard let error = error as? DBusError, let refusal, error.refusal.isAboutPairing else {
      return error
    }
    return Cause.refused(refusal).reported(by: ErrorAnswer(error))
  }

  // MARK: After pairing

  func unpair() async throws {
    try await explaining(.objects, "unpairing") {
      try requireNoOpenStream()
      try await client.synchronize()
      guard let device = knownDevice(on: try usableAdapter().path) else { return }
      bind(device)
      try await remove(device)
    }
  }

  /// Removes a known device from bluetoothd, and waits until it is gone.
  private func remove(_ device: ObjectPath) async throws {
    guard let adapter = device.parent else { return }
    let call = MethodCall.bluez(adapter, Adapter1.removeDevice, device)
    do {
      _ = try await client.bus.call(call, limit: client.limits.disconnect, lateReply: nil)
    } catch let error as DBusError {
      // bluetoothd may have removed it already.
      guard [.doesNotExist, .unknownObject].contains(error.refusal) else { throw error }
    } catch {
      noteIntendedRemoval(of: device)
      // bluetoothd disconnects first: the next caller would find a connection that is about to end.
      try? await shielded(on: loop, limit: client.limits.disconnect) { [self] in
        try await awaitRemoval(device)
      }
      throw error
    }
    defer { noteIntendedRemoval(of: device) }
    try await awaitRemoval(device)
  }

  private func awaitRemoval(_ device: ObjectPath) async throws {
    try await client.until("the device's removal", limit: client.limits.disconnect) { tree in
      tree.has(Device1.interface, at: device) ? nil : ()
    }
  }

  /// Notes that the removal of the device is intended: it is not reported as a loss, even if it
  /// arrives after the caller timed out or was cancelled.
  private func noteIntendedRemoval(of device: ObjectPath) {
    state.withLock { if $0.device == device { $0.device = nil } }
  }

  func trust(_ isTrusted: Bool) async throws {
    try await explaining(.objects, isTrusted ? "trusting" : "ending the trust") {
      try await client.synchronize()
      guard let device = knownDevice(on: try usableAdapter().path) else {
        throw Cause.notFound
      }
      bind(device)
      let call = MethodCall.set(Device1.trusted, isTrusted, at: device)
      _ = try await client.bus.call(call, limit: client.limits.call, lateReply: nil)
    }
  }
}

extension ObjectTree {
  /// Whether a device has a bond.
  func isPaired(_ device: ObjectPath) -> Bool {
    value(Device1.paired, at: device) ?? false
  }

  /// Whether a device that has just been paired has no bond because its adapter is not pairable. A
  /// device that makes no bonds is paired without one, too, while the adapter is pairable.
  ///
  /// - Source: observed with bluetoothd 5.82, which turns `Pairable` off some time after an agent has
  ///   left, also if another one was registered meanwhile. A pairing succeeds then, and ends with
  ///   the connection. Before 5.65 there is no `Bonded`.
  func isPairedWithoutBond(_ device: ObjectPath) -> Bool {
    guard value(Device1.bonded, at: device) == false, let adapter = device.parent else {
      return false
    }
    return value(Adapter1.pairable, at: adapter) == false
  }
}
