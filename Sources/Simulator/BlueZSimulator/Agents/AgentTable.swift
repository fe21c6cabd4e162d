// The registered agents, in the order in which they are tried.
//
// Pure: it sends no message.

import BlueZInterfaces
import DBus
import SimulatedDevices

struct Agent: Hashable, Sendable {
  /// The unique name of the client.
  let client: String
  let path: ObjectPath
  let capability: IOCapability
}

/// The registered agents, one per client.
///
/// - Source: BlueZ 5.66, `src/agent.c`.
struct AgentTable: Sendable {
  private var agents: [Agent] = []
  /// Clients with a default agent, the latest last.
  private var defaults: [String] = []
  /// The capability of the latest default agent. The kernel keeps it when that agent is gone.
  ///
  /// - Source: BlueZ 5.66, `src/adapter.c` (adapter_set_io_capability, `AlwaysPairable = false`).
  private(set) var capability = IOCapability.noInputNoOutput

  var isEmpty: Bool { agents.isEmpty }

  /// The agent of a client, or else the default agent. A nil client means the default agent.
  func agent(for client: String?) -> Agent? {
    agents.first { $0.client == client } ?? agents.first { $0.client == defaults.last }
  }

  func has(_ client: String) -> Bool { agents.contains { $0.client == client } }

  /// - Returns: The error; nil when it is registered.
  mutating func register(_ agent: Agent) -> ErrorAnswer? {
    guard !agents.contains(where: { $0.client == agent.client }) else { return .alreadyExists }
    agents.append(agent)
    if defaults.isEmpty { defaults = [agent.client] }
    followDefault()
    return nil
  }

  /// - Returns: The error; nil if the agent is now the default.
  mutating func makeDefault(_ client: String, _ path: ObjectPath) -> ErrorAnswer? {
    guard agents.contains(where: { $0.client == client && $0.path == path }) else {
      return .doesNotExist
    }
    defaults.removeAll { $0 == client }
    defaults.append(client)
    followDefault()
    return nil
  }

  /// - Parameter path: nil removes any agent of the client.
  /// - Returns: True if there was such an agent.
  mutating func remove(_ client: String, _ path: ObjectPath? = nil) -> Bool {
    guard
      let index = agents.firstIndex(where: {
        $0.client == client && (path == nil || $0.path == path)
      })
    else { return false }
    defaults.removeAll { $0 == client }
    agents.remove(at: index)
    followDefault()
    return true
  }

  private mutating func followDefault() {
    if let agent = agents.first(where: { $0.client == defaults.last }) {
      capability = agent.capability
    }
  }
}

extension IOCapability {
  /// The capability that an agent is registered with; nil for a text that bluetoothd refuses.
  init?(agent text: String) {
    switch text {
    case AgentManager1.Capability.displayOnly: self = .displayOnly
    case AgentManager1.Capability.displayYesNo: self = .displayYesNo
    case AgentManager1.Capability.keyboardOnly: self = .keyboardOnly
    case AgentManager1.Capability.noInputNoOutput: self = .noInputNoOutput
    case AgentManager1.Capability.keyboardDisplay, AgentManager1.Capability.unspecified:
      self = .keyboardDisplay
    default: return nil
    }
  }
}
