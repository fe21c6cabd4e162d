// Our agent on the bus: it answers bluetoothd while this program pairs.
//
// AgentDialogue decides the answers; registration is in PairingAgent+Registration.swift.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The one agent of this bus connection, shared by all pairings over it.
///
/// A request is answered for the latest entry of its device. Requests about other devices are
/// rejected, and so are those of anybody but bluetoothd.
///
/// - Source: BlueZ 5.66, `doc/agent-api.txt`, `src/agent.c`: one agent a connection.
final class PairingAgent: Sendable {
  /// A pairing that the agent answers for.
  struct Entry: Sendable {
    let id: UInt64
    let answers: PairingAnswers
    let device: @Sendable () -> ObjectPath?
    var dialogue: AgentDialogue
    /// The call that waits for a person's answer.
    var call: Invocation?
    /// Cancels the question to the person.
    var withdraw: (@Sendable () -> Void)?
  }

  struct State {
    var nextID: UInt64 = 0
    var entries: [Entry] = []
    /// The registered capability; nil when the agent is not registered.
    var registered: AgentCapability?
    /// The unique name of the bluetoothd that it is registered with.
    var daemon: String?
    var export: Export?
    /// The devices that are being paired, for those that wait.
    var pairing: [String] = []
  }

  static let path = ObjectPath(stringLiteral: "/org/blerun/agent")

  let bus: MessageBus
  let limits: BlueZLimits
  let registering = Gate()
  /// Passed by every Pair.
  private let pairing = Gate()
  let state = Guarded(State())

  init(bus: MessageBus, limits: BlueZLimits) {
    self.bus = bus
    self.limits = limits
  }

  // MARK: Pairing

  /// Runs `body`, which pairs, when no other pairing is in its way.
  ///
  /// bluetoothd registers one agent for a connection, with one capability, and sends it one request at
  /// a time: a second request is not sent, and that pairing fails. For a Just Works pairing that this
  /// host started it never sends one. So pairings without requests run in parallel, any other alone.
  ///
  /// - Parameter device: The device, for those who wait for it.
  /// - Throws: What `body` throws; ``Cause`` when the time passed before it started; a cancellation.
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

  /// The object's interface.
  var interface: ExportedInterface {
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
  func handle(_ event: AgentDialogue.Event, of id: UInt64, _ call: Invocation?) {
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
  /// The time passed while others paired.
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
