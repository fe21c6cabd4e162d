// The callers that our agent accepts, and the devices it answers for.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Our agent on the bus")
struct AgentGuardTests {
  /// The registration of another program's agent.
  private static func register() throws -> MethodCall {
    try MethodCall(
      destination: "org.bluez", path: "/org/bluez", interface: "org.bluez.AgentManager1",
      member: "RegisterAgent", body: [.objectPath("/theirs"), .string("DisplayYesNo")]
    )
  }

  /// The error names that a program gets that calls our agent in the middle of a pairing.
  func answers(
    _ simulation: Simulation, _ calls: [(member: String, body: [DBusValue])]
  ) throws -> [String] {
    let other = try simulation.bus.connect()
    let (names, ours) = (Recorded<String>(), simulation.client.bus.uniqueName)
    let (loop, service) = (simulation.loop, simulation.service)
    let answers = PairingAnswers(ask: { _, reply in
      _ = loop.task {
        for call in calls {
          let call = try MethodCall(
            destination: ours, path: "/org/blerun/agent", interface: "org.bluez.Agent1",
            member: call.member, body: call.body
          )
          do {
            names.add("\(try await other.call(call, limit: .seconds(1)).body.count) values")
          } catch let error as DBusError {
            names.add(error.name.rawValue)
          }
        }
        reply(.no)
      }
      return {}
    })
    _ = simulation.run(service.connect().flattenMap { service.pair(answers) })
    return names.all
  }

  @Test("a program other than bluetoothd gets no passkey from our agent")
  func stranger() throws {
    let simulation = try Simulation(definition: .pairing(.confirm))
    let device = DBusValue.objectPath(simulation.devicePath)
    let names = try answers(
      simulation,
      [
        ("RequestPasskey", [device]), ("RequestConfirmation", [device, .uint32(1)]),
        ("Cancel", []), ("Release", []),
      ]
    )
    #expect(names == Array(repeating: "org.bluez.Error.Rejected", count: 4))
  }

  @Test("another program's agent answers for that program, and our agent for us")
  func secondAgent() throws {
    let simulation = try Simulation(definition: .pairing(.confirm, passkey: 3))
    let other = try simulation.bus.connect()
    try simulation.loop.run {
      _ = try await other.call(Self.register(), limit: .seconds(1))
    }
    // Theirs has no object and would fail.
    let outcome = simulation.pair(PairingAnswers(comparison: .only(3)))
    #expect(outcome.value == .paired(isAuthenticated: true))
  }

  @Test("a pairing fails when the client of the agent it asked leaves the bus")
  func clientLeaves() throws {
    let simulation = try Simulation(definition: .pairing(.confirm, passkey: 3))
    let other = try simulation.bus.connect()
    let third = try simulation.bus.connect()
    let path = simulation.devicePath
    let service = simulation.service
    #expect(simulation.run(service.connect(keep: true, expecting: [])).error == nil)
    let name: String? = try simulation.loop.run {
      let agent = ObjectServer(bus: other, objectManagerAt: nil)
      let confirm = ExportedMethod(
        "RequestConfirmation", takes: [.init("device", "o"), .init("passkey", "u")]
      ) { _ in other.close() }
      agent.add([ExportedInterface("org.bluez.Agent1", methods: [confirm])], at: "/theirs")
      let export = try other.export(agent)
      defer { export.cancel() }
      _ = try await other.call(Self.register(), limit: .seconds(1))
      let pair = try MethodCall(
        destination: "org.bluez", path: path, interface: "org.bluez.Device1", member: "Pair"
      )
      do {
        _ = try await third.call(pair, limit: .seconds(60))
        return nil
      } catch let error as DBusError {
        return error.name.rawValue
      }
    }
    #expect(name == "org.bluez.Error.AuthenticationFailed")
    // Recorded from bluetoothd: the link stays.
    #expect(simulation.simulator.connectedDevices == [DeviceDefinition.thermometerAddress])
  }
}
