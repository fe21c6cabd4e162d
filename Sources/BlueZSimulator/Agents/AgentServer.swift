// The object AgentManager1: who would be asked while pairing.

import BlueZInterfaces
import DBus
import Signals

/// Takes agents and never needs to ask them: the simulated devices pair by Just Works.
final class AgentServer: Sendable {
  private struct State {
    /// Agents by client.
    var agents: [String: ObjectPath] = [:]
    /// Told whether there is any agent.
    var changed: (@Sendable (_ hasAgent: Bool) -> Void)?
  }

  private let state = Guarded(State())

  /// Whether any client has an agent.
  var hasAgent: Bool { state.withLock { !$0.agents.isEmpty } }

  /// Has `changed` told whether there is any agent.
  func onChange(_ changed: @escaping @Sendable (_ hasAgent: Bool) -> Void) {
    state.withLock { $0.changed = changed }
  }

  private func tell(_ hasAgent: Bool) { state.withLock { $0.changed }?(hasAgent) }

  /// The interface.
  var interface: ExportedInterface {
    typealias Method = AgentManager1.Method
    let agent = ExportedArgument("agent", "o")
    return ExportedInterface(
      AgentManager1.interface,
      methods: [
        ExportedMethod(Method.registerAgent, takes: [agent, .init("capability", "s")]) {
          self.register($0)
        },
        ExportedMethod(Method.unregisterAgent, takes: [agent]) { self.unregister($0) },
        ExportedMethod(Method.requestDefaultAgent, takes: [agent]) { self.requestDefault($0) },
      ]
    )
  }

  private func register(_ call: Invocation) {
    guard state.withLock({ $0.agents[call.caller] == nil }) else {
      return call.refuse(.alreadyExists)
    }
    guard let path = call.message.body.first?.asObjectPath,
      AgentManager1.Capability.all.contains(call.message.body.last?.asString ?? "?")
    else { return call.refuse(.invalidArguments) }
    state.withLock { $0.agents[call.caller] = path }
    call.reply()
    tell(true)
  }

  private func unregister(_ call: Invocation) {
    guard isAgent(call) else { return call.refuse(.doesNotExist) }
    call.reply()
    forget(call.caller)
  }

  private func requestDefault(_ call: Invocation) {
    guard isAgent(call) else { return call.refuse(.doesNotExist) }
    call.reply()
  }

  private func isAgent(_ call: Invocation) -> Bool {
    let path = call.message.body.first?.asObjectPath
    return path != nil && state.withLock { $0.agents[call.caller] } == path
  }

  /// A client has left the bus.
  func forget(_ client: String) {
    let isLast = state.withLock { state in
      state.agents.removeValue(forKey: client) != nil && state.agents.isEmpty
    }
    if isLast { tell(false) }
  }
}
