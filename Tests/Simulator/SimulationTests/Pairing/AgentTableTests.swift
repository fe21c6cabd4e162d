// The choice between several registered agents.

import BlueZInterfaces
import DBus
import SimulatedDevices
import Testing

@testable import BlueZSimulator

@Suite("The agents of a simulated bluetoothd")
struct AgentTableTests {
  func agent(_ client: String, _ path: ObjectPath = "/agent") -> Agent {
    Agent(client: client, path: path, capability: .keyboardDisplay)
  }

  @Test("the first agent is the default; each client's own agent takes precedence")
  func first() {
    var table = AgentTable()
    #expect(table.agent(for: nil) == nil)
    #expect(table.register(agent(":1")) == nil)
    #expect(table.register(agent(":2")) == nil)
    #expect(table.agent(for: nil)?.client == ":1")
    #expect(table.agent(for: ":2")?.client == ":2")
    #expect(table.agent(for: ":3")?.client == ":1")
  }

  @Test("the last agent to request it is the default; when it leaves, the previous one is")
  func last() {
    var table = AgentTable()
    _ = table.register(agent(":1"))
    _ = table.register(agent(":2"))
    #expect(table.makeDefault(":2", "/agent") == nil)
    #expect(table.agent(for: nil)?.client == ":2")
    let removed1 = table.remove(":2")
    #expect(removed1)
    #expect(table.agent(for: nil)?.client == ":1")
    let removed2 = table.remove(":1")
    #expect(removed2)
    #expect(table.isEmpty)
  }
}
