// Our agent on the bus: it answers bluetoothd while this program pairs, and is registered only then.
//
// AgentDialogue decides the answers.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The one agent of this bus connection, shared by all pairings over it.
///
/// A request is answered for the latest entry of its device. Requests about other devices are
/// rejected, and so are requests from any sender but bluetoothd.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`: one agent a connection.
final class PairingAgent: Sendable {
  /// A pairing that the agent answers for.
  private struct Entry: Sendable {
    let id: UInt64
    let answers: PairingAnswers
    let device: @Sendable () -> ObjectPath?
    var dialogue: AgentDialogue
    /// The call that waits for a person's answer.
    var call: Invocation?
    /// Cancels the question to the person.
    var withdraw: (@Sendable () -> Void)?
  }

  private struct State {
    var nextID: UInt64 = 0
    var entries: [Entry] = []
    /// The registered capability; nil when the agent is not registered.
    var registered: AgentCapability?
    /// The unique name of the bluetoothd that it is registered with.
    var daemon: String?
    var export: Export?
    /// The time at which the agent was last unregistered.
    var unregistered: Instant?
    /// The devices that are being paired, for the errors of pairings that wait.
    var pairing: [String] = []
  }

  static let path = ObjectPath(stringLiteral: "/org/blerun/agent")

  private let bus: MessageBus
  private let limits: BlueZLimits
  private let registering = Gate()
  /// The gate that every Pair passes.
  private let pairing = Gate()
  private let state = Guarded(State())

  init(bus: MessageBus, limits: BlueZLimits) {
    self.bus = bus
    self.limits = limits
  }

  // MARK: Pairing

  /// Runs `body`, which pairs, once no conflicting pairing is under way.
  ///
  /// bluetoothd registers one agent for a connection, with one capability, and sends it one request at
  /// a time: a second request is not sent, and that pairing fails. For a Just Works pairing that this
  /// host started it never sends one. So pairings without requests run in parallel, any other alone.
  ///
  /// - Parameter device: The device, for the errors of other pairings that wait.
  /// - Throws: The errors of `body`; ``Cause`` when the time passed before it started; a
  ///   cancellation.
  /// - Source: BlueZ 5.66, `src/agent.c` (agent_request_passkey: EBUSY while there is a request),
  ///   `src/device.c` (pair_device: the capability is taken at Pair; one bonding a device).
  func pairing<R>(
    _ device: String, _ capability: AgentCapability, _ body: () async throws -> R
  ) async throws -> R {
    var hasBegun = false
    do {
      return try await pairing.pass(
        on: bus.loop, operation: "the end of another pairing",
        isShared: capability == .noInputNoOutput, limit: limits.pairingTurn
      ) {
        hasBegun = true
        state.withLock { $0.pairing.append(device) }
        defer {
          state.withLock { state in
            if let place = state.pairing.firstIndex(of: device) { state.pairing.remove(at: place) }
          }
        }
        return try await body()
      }
    } catch let error as TimedOut {
      throw hasBegun ? error : Cause.pairingQueued(behind: state.withLock { $0.pairing })
    }
  }

  // MARK: Calls

  /// The interface of the agent's object.
  private var interface: ExportedInterface {
    Agent1.declaration.exported(methods: [
      ExportedMethod(Agent1.release) { [weak self] in self?.released($0) },
      request(Agent1.requestPinCode) { ($0, .pinCode) },
      request(Agent1.displayPinCode) { ($0.0, .displayPinCode($0.1)) },
      request(Agent1.requestPasskey) { ($0, .passkey) },
      request(Agent1.displayPasskey) { ($0.0, .displayPasskey($0.1, entered: $0.2)) },
      request(Agent1.requestConfirmation) { ($0.0, .confirmation($0.1)) },
      request(Agent1.requestAuthorization) { ($0, .authorization) },
      request(Agent1.authorizeService) { ($0.0, .authorizeService($0.1)) },
      ExportedMethod(Agent1.cancel) { [weak self] in self?.cancelled($0) },
    ])
  }

  /// A method that is a request about a device.
  private func request<Input, Output>(
    _ method: Method<Input, Output>,
    _ parsed: @escaping @Sendable (Input) -> (device: ObjectPath, AgentRequest)
  ) -> ExportedMethod {
    ExportedMethod(method) { [weak self] input, call in
      let (device, request) = parsed(input)
      guard let self, isFromDaemon(call), let id = entry(for: device) else {
        return call.fail(Self.rejected)
      }
      handle(.request(request), of: id, call)
    }
  }

  private static let rejected = ErrorAnswer(BlueZErrorName.rejected, "Rejected").dbusError

  private func isFromDaemon(_ call: Invocation) -> Bool {
    let sender = call.message.sender
    return sender != nil && state.withLock { $0.daemon } == sender
  }

  /// The latest entry for a device.
  private func entry(for device: ObjectPath) -> UInt64? {
    let entries = state.withLock { $0.entries }
    return entries.last { $0.device() == device }?.id
  }

  /// bluetoothd has released the agent by itself.
  private func released(_ call: Invocation) {
    guard isFromDaemon(call) else { return call.fail(Self.rejected) }
    forgotten()
    call.reply()
  }

  private func cancelled(_ call: Invocation) {
    guard isFromDaemon(call) else { return call.fail(Self.rejected) }
    withdrawAll()
    call.reply()
  }

  /// The agent is no longer registered: bluetoothd has disappeared, or released it.
  func forgotten() {
    state.withLock { state in
      state.registered = nil
      state.daemon = nil
    }
    withdrawAll()
  }

  private func withdrawAll() {
    for id in state.withLock({ $0.entries.map(\.id) }) { handle(.withdrawn, of: id, nil) }
  }

  // MARK: Dialogues

  /// Passes an event to a dialogue, and performs its actions.
  private func handle(_ event: AgentDialogue.Event, of id: UInt64, _ call: Invocation?) {
    let outcome = state.withLock { state -> (actions: [AgentDialogue.Action], entry: Entry)? in
      guard let index = state.entries.firstIndex(where: { $0.id == id }) else { return nil }
      let before = state.entries[index]
      let actions = state.entries[index].dialogue.handle(event)
      if actions.contains(.withdraw) || call != nil { state.entries[index].withdraw = nil }
      state.entries[index].call = state.entries[index].dialogue.open == nil ? nil : call
      return (actions, before)
    }
    guard let (actions, before) = outcome else {
      call?.fail(Self.rejected)
      return
    }
    let answered = call ?? before.call
    for action in actions {
      switch action {
      case .reply(let body): answered?.reply(body)
      case .refuse: answered?.fail(Self.rejected)
      case .show(let display): before.answers.show(display)
      case .cancelPairing:
        guard let device = before.device() else { continue }
        try? bus.send(MethodCall.bluez(device, Device1.cancelPairing).withoutReply())
      case .ask(let question): ask(question, before)
      case .withdraw:
        before.withdraw?()
        before.call?.fail(ErrorAnswer(BlueZErrorName.canceled, "Canceled").dbusError)
      }
    }
  }

  private func ask(_ question: PairingQuestion, _ entry: Entry) {
    guard let ask = entry.answers.ask else { return }
    let withdraw = ask(question) { [weak self] reply in
      self?.handle(.replied(reply), of: entry.id, nil)
    }
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.id == entry.id }) else { return }
      if state.entries[index].dialogue.open != nil { state.entries[index].withdraw = withdraw }
    }
  }
}

extension Cause {
  /// The cause when the time passed during the pairings of these other devices.
  fileprivate static func pairingQueued(behind devices: [String]) -> Cause {
    let others = devices.isEmpty ? "another device" : devices.joined(separator: " and ")
    return transient(
      .busy,
      "this program was pairing with \(others) the whole time, and this pairing has not started",
      hint: "pair with one device after the other, or \(.moreTime); pairings "
        + "without authentication (no-input-no-output) run in parallel"
    )
  }
}

extension PairingAgent {
  /// Makes the agent answer for a device.
  ///
  /// When this returns, the agent is registered and is the default agent.
  ///
  /// - Parameter device: The object of the device at the time of a request.
  /// - Returns: The identifier for ``leave(_:)``.
  /// - Throws: The error of the registration, of which nothing is left then.
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
      try await reconcile()
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
    try? await shielded(on: bus.loop, limit: limits.call) { [self] in try await reconcile() }
  }

  /// The reason why a request was rejected for an entry.
  func refusal(of id: UInt64) -> AgentDialogue.Rejection? {
    state.withLock { $0.entries.first { $0.id == id }?.dialogue.refusal }
  }

  /// Whether the requests about an entry made its pairing an authenticated one.
  func isAuthenticated(_ id: UInt64) -> Bool {
    state.withLock { $0.entries.first { $0.id == id }?.dialogue.isAuthenticated ?? false }
  }

  /// Registers or unregisters, as currently needed.
  private func reconcile() async throws {
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

  /// Unregisters the agent, if it is registered. Does not wait for the reply: bluetoothd handles
  /// later calls after this one.
  func release() {
    let wasRegistered = state.withLock { state in
      defer { state.registered = nil }
      if state.registered != nil { state.unregistered = bus.loop.now }
      return state.registered != nil
    }
    guard wasRegistered else { return }
    try? bus.send(call(AgentManager1.unregisterAgent).withoutReply())
    dropExport()
  }

  /// Registers the agent, once bluetoothd has finished its work after the last agent was
  /// unregistered.
  ///
  /// bluetoothd turns `Pairable` off some time after it has replied to the unregistration. An agent
  /// that is registered in between finds `Pairable` on, and after it has been turned off, a pairing
  /// leaves no bond.
  ///
  /// - Source: BlueZ 5.82, `src/adapter.c` (set_mode returns early for the current settings).
  private func register(_ capability: AgentCapability) async throws {
    if let unregistered = state.withLock({ $0.unregistered }) {
      let rest = unregistered + limits.agentPause - bus.loop.now
      if rest > .zero { try await bus.loop.sleep(for: rest) }
    }
    try export()
    let daemon = try await bus.nameOwner(OrgBlueZ.busName)
    state.withLock { $0.daemon = daemon }
    let register = MethodCall.bluez(
      BlueZPath.manager,
      AgentManager1.registerAgent,
      (Self.path, capability.bluezName)
    )
    _ = try await bus.call(register, limit: limits.call) { [self] answer in
      // The reply arrived after its caller timed out or was cancelled.
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
    state.withLock { $0.unregistered = bus.loop.now }
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
