// The object AgentManager1, and the calls to registered agents.

import BlueZInterfaces
import DBus
import Signals
import SimulatedDevices

/// Registers agents, and calls them during pairing.
final class AgentServer: Sendable {
  typealias Answer = Result<[DBusValue], DBusError>

  private struct State {
    var table = AgentTable()
    var nextID = 0
    var questions: [Question] = []
    /// The last value passed to `changed`.
    var isThereOne = false
    /// Called when the first agent is registered, and when the last one is gone.
    var changed: @Sendable (_ hasAgent: Bool) -> Void = { _ in }
  }

  private struct Question {
    let id: Int
    let agent: Agent
    let answered: @Sendable (Answer) -> Void
  }

  private let state: Confined<State>
  private let bus: MessageBus
  /// The deadline for an agent's reply.
  private let limit: Duration
  private let version: BlueZVersion
  /// Announces pending changes, which must precede the call to an agent.
  private let flush: @Sendable () -> Void

  init(
    bus: MessageBus, limit: Duration, version: BlueZVersion, flush: @escaping @Sendable () -> Void
  ) {
    self.bus = bus
    self.limit = limit
    self.version = version
    self.flush = flush
    state = Confined(State(), to: bus.loop)
  }

  func onChange(_ changed: @escaping @Sendable (_ hasAgent: Bool) -> Void) {
    state.changed = changed
  }

  // MARK: The object

  var interface: ExportedInterface {
    AgentManager1.declaration.exported(methods: [
      ExportedMethod(AgentManager1.registerAgent) { self.register($0.0, $0.1, $1) },
      ExportedMethod(AgentManager1.unregisterAgent) { self.unregister($0, $1) },
      ExportedMethod(AgentManager1.requestDefaultAgent) { self.requestDefault($0, $1) },
    ])
  }

  private func register(_ path: ObjectPath, _ capability: String, _ call: Invocation) {
    guard !state.table.has(call.caller) else { return call.refuse(.alreadyExists) }
    guard let capability = IOCapability(agent: capability) else {
      return call.refuse(.invalidArguments)
    }
    let agent = Agent(client: call.caller, path: path, capability: capability)
    if let refusal = state.table.register(agent) { return call.refuse(refusal) }
    call.reply()
    state.isThereOne = true
    state.changed(true)
  }

  private func unregister(_ path: ObjectPath, _ call: Invocation) {
    guard state.table.remove(call.caller, path) else { return call.refuse(.doesNotExist) }
    call.reply()
    removed(awaitsAnswer: !version.has(.pairingByChannel))
  }

  private func requestDefault(_ path: ObjectPath, _ call: Invocation) {
    if let refusal = state.table.makeDefault(call.caller, path) { return call.refuse(refusal) }
    call.reply()
  }

  func forget(_ client: String) {
    if state.table.remove(client) { removed() }
  }

  /// Reports the change once no agent is left.
  ///
  /// - Parameter awaitsAnswer: A removed agent still counts while it answers a request: the kernel's
  ///   Pair Device, with which bluetoothd pairs up to 5.80, delays the change.
  private func removed(awaitsAnswer: Bool = true) {
    guard state.isThereOne, state.table.isEmpty else { return }
    guard state.questions.isEmpty || !awaitsAnswer else { return }
    state.isThereOne = false
    state.changed(false)
  }

  // MARK: Requests

  /// The agent for a client: its own, or else the default agent.
  func agent(for client: String?) -> Agent? { state.table.agent(for: client) }

  /// The capability with which new connections pair.
  var capability: IOCapability { state.table.capability }

  /// Calls a method of an agent. A timeout sends the agent Cancel, and counts as a rejection.
  ///
  /// An agent handles one request at a time: a second one counts as rejected.
  ///
  /// - Parameter answered: Called once, on the loop, unless the request is cancelled before.
  /// - Returns: The identifier for cancelling the request.
  func ask(
    _ agent: Agent, _ call: AgentCall, _ answered: @escaping @Sendable (Answer) -> Void
  ) -> Int {
    let isBusy = state.questions.contains { $0.agent == agent }
    state.nextID += 1
    let id = state.nextID
    state.questions.append(Question(id: id, agent: agent, answered: answered))
    if !call.isAnswerAwaited {
      send(agent, call)
      bus.loop.after(.zero) { [self] in settle(id, .success([])) }
      return id
    }
    if isBusy {
      bus.loop.after(.zero) { [self] in settle(id, .failure(ErrorAnswer.inProgress.dbusError)) }
      return id
    }
    _ = bus.loop.task { [self] in
      let answer: Answer
      flush()
      do {
        answer = .success(try await bus.call(call.made(agent), limit: limit).body)
      } catch let error as DBusError {
        answer = .failure(error)
      } catch {
        if error is TimedOut { cancel(agent) }
        answer = .failure(ErrorAnswer(BlueZErrorName.Bus.noReply, "Timed out").dbusError)
      }
      settle(id, answer)
    }
    return id
  }

  private func settle(_ id: Int, _ answer: Answer) {
    removeQuestion(id)?.answered(answer)
    removed()
  }

  func withdraw(_ id: Int) {
    guard let question = removeQuestion(id) else { return }
    cancel(question.agent)
    removed()
  }

  private func removeQuestion(_ id: Int) -> Question? {
    state.questions.firstIndex { $0.id == id }.map { state.questions.remove(at: $0) }
  }

  private func cancel(_ agent: Agent) { send(agent, AgentCall(Agent1.cancel, ())) }

  private func send(_ agent: Agent, _ call: AgentCall) {
    flush()
    if let call = try? call.made(agent) { try? bus.send(call.withoutReply()) }
  }
}

/// A request or a notification for an agent.
struct AgentCall: Sendable {
  /// The call to one agent.
  let made: @Sendable (Agent) throws -> MethodCall
  /// Whether bluetoothd waits for the agent's reply.
  let isAnswerAwaited: Bool

  init<Input: Sendable, Output>(
    _ method: Method<Input, Output>, _ input: Input, isAnswerAwaited: Bool = true
  ) {
    made = { try MethodCall(method, input, on: $0.path, of: $0.client) }
    self.isAnswerAwaited = isAnswerAwaited
  }
}
