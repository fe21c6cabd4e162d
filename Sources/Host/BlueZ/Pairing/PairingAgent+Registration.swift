// The registration of our agent: only while this program pairs.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

extension PairingAgent {
  /// Makes the agent answer for a device.
  ///
  /// It is registered, and made the default agent, when this returns.
  ///
  /// - Parameter device: The object of the device at the time of a request.
  /// - Returns: The identifier for ``leave(_:)``.
  /// - Throws: What registering failed with; nothing is left of it then.
  func enter(
    _ answers: PairingAnswers, device: @escaping @Sendable () -> ObjectPath?
  ) async throws -> UInt64 {
    let id = state.withLock { state in
      state.nextID += 1
      let dialogue = AgentDialogue(answers)
      state.entries.append(
        Entry(id: state.nextID, answers: answers, device: device, dialogue: dialogue)
      )
      return state.nextID
    }
    do {
      try await follow()
    } catch {
      await leave(id)
      throw error
    }
    return id
  }

  /// Stops answering for an entry; after the last one the agent is unregistered.
  ///
  /// Runs to its end even if the caller is cancelled. An agent that could not be unregistered ends
  /// with the connection, and rejects everything until then.
  func leave(_ id: UInt64) async {
    handle(.withdrawn, of: id, nil)
    state.withLock { $0.entries.removeAll { $0.id == id } }
    try? await shielded(on: bus.loop, limit: limits.call) { [self] in try await follow() }
  }

  /// Why a request was rejected for an entry.
  func refusal(of id: UInt64) -> AgentDialogue.Refusal? {
    state.withLock { $0.entries.first { $0.id == id }?.dialogue.refusal }
  }

  /// Whether the requests about an entry made its pairing an authenticated one.
  func isAuthenticated(_ id: UInt64) -> Bool {
    state.withLock { $0.entries.first { $0.id == id }?.dialogue.isAuthenticated ?? false }
  }

  /// Registers or unregisters, as currently needed.
  private func follow() async throws {
    try await registering.pass(on: bus.loop, operation: "registering a pairing agent") {
      let (wanted, registered) = state.withLock { state in
        (state.entries.last?.answers.offeredCapability, state.registered)
      }
      if wanted == registered { return }
      if let wanted {
        if registered != nil { try await unregister() }
        try await register(wanted)
      } else {
        release()
      }
    }
  }

  /// Unregisters the agent, if it is registered; does not wait for the reply: what is asked of
  /// bluetoothd later is handled later.
  func release() {
    let wasRegistered = state.withLock { state in
      defer { state.registered = nil }
      return state.registered != nil
    }
    guard wasRegistered else { return }
    try? bus.send(call(AgentManager1.unregisterAgent).withoutReply())
    dropExport()
  }

  private func register(_ capability: AgentCapability) async throws {
    try export()
    let daemon = try await bus.nameOwner(OrgBlueZ.busName)
    state.withLock { $0.daemon = daemon }
    let register = MethodCall.bluez(
      BlueZPath.manager,
      AgentManager1.registerAgent,
      (Self.path, capability.bluezName)
    )
    _ = try await bus.call(register, limit: limits.call) { [self] answer in
      // Answered after its caller had left.
      guard case .success = answer, state.withLock({ $0.registered == nil }) else { return }
      try? bus.send(call(AgentManager1.unregisterAgent).withoutReply())
    }
    state.withLock { $0.registered = capability }
    let makeDefault = call(AgentManager1.requestDefaultAgent)
    _ = try await bus.call(makeDefault, limit: limits.call, lateReply: nil)
  }

  private func unregister() async throws {
    state.withLock { $0.registered = nil }
    let unregister = call(AgentManager1.unregisterAgent)
    do {
      _ = try await bus.call(unregister, limit: limits.call, lateReply: nil)
    } catch is DBusError {
      // It is already unregistered, or bluetoothd has disappeared.
    }
  }

  /// A call of AgentManager1 about our agent.
  private func call(_ method: Method<ObjectPath, Void>) -> MethodCall {
    .bluez(BlueZPath.manager, method, Self.path)
  }

  private func export() throws {
    guard state.withLock({ $0.export == nil }) else { return }
    let server = ObjectServer(bus: bus, objectManagerAt: nil)
    server.add([interface], at: Self.path)
    let export = try bus.export(server)
    state.withLock { $0.export = export }
  }

  private func dropExport() {
    let export = state.withLock { state in
      defer { state.export = nil }
      return state.export
    }
    export?.cancel()
  }
}

extension AgentCapability {
  /// The form that RegisterAgent expects.
  var bluezName: String {
    switch self {
    case .displayOnly: AgentManager1.Capability.displayOnly
    case .displayYesNo: AgentManager1.Capability.displayYesNo
    case .keyboardOnly: AgentManager1.Capability.keyboardOnly
    case .noInputNoOutput: AgentManager1.Capability.noInputNoOutput
    case .keyboardDisplay: AgentManager1.Capability.keyboardDisplay
    }
  }
}
