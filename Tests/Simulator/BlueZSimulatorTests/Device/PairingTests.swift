// Agents and pairing.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Agents and pairing")
struct PairingTests {
  private static let agent: ObjectPath = "/test/agent"

  private func register(_ client: RawClient, _ capability: String = "NoInputNoOutput") throws
    -> String
  {
    try client.ask("RegisterAgent", .agents, [.objectPath(Self.agent), .string(capability)])
  }

  // MARK: AgentManager1

  @Test(
    "RegisterAgent replies, then the adapter is pairable; UnregisterAgent replies, then it is not"
  )
  func agents() throws {
    let lab = try Lab()
    _ = try register(lab.client)
    try lab.pass()
    #expect(lab.client.take() == ["RegisterAgent replied", "hci0 Adapter1 Pairable=true"])
    let agent = [DBusValue.objectPath(Self.agent)]
    #expect(
      try lab.client.ask("RequestDefaultAgent", .agents, agent) == "RequestDefaultAgent replied"
    )
    lab.client.forget()
    try lab.client.call("UnregisterAgent", .agents, agent)
    try lab.pass()
    #expect(lab.client.take() == ["UnregisterAgent replied", "hci0 Adapter1 Pairable=false"])
  }

  @Test(
    "every capability is accepted, including an empty one",
    arguments: [
      "", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay",
    ]
  )
  func capabilities(name: String) throws {
    let lab = try Lab()
    #expect(try register(lab.client, name) == "RegisterAgent replied")
  }

  @Test("an unknown capability, a second agent and a missing agent are refused")
  func refusals() throws {
    let lab = try Lab()
    let client = lab.client
    let exists = "RegisterAgent failed org.bluez.Error.AlreadyExists: Already Exists"
    let absent = "org.bluez.Error.DoesNotExist: Does Not Exist"
    #expect(
      try register(client, "Telepathy")
        == "RegisterAgent failed org.bluez.Error.InvalidArguments: Invalid arguments in method call"
    )
    for member in ["UnregisterAgent", "RequestDefaultAgent"] {
      let answer = try client.ask(member, .agents, [.objectPath(Self.agent)])
      #expect(answer == "\(member) failed \(absent)")
    }
    _ = try register(client)
    #expect(try register(client) == exists)
    #expect(try register(client, "Telepathy") == exists)
    let second: [DBusValue] = [.objectPath("/other"), .string("NoInputNoOutput")]
    #expect(try client.ask("RegisterAgent", .agents, second) == exists)
    let other = try client.ask("UnregisterAgent", .agents, [.objectPath("/other")])
    #expect(other == "UnregisterAgent failed \(absent)")
  }

  @Test("the agent of a client that leaves the bus is removed; removing the last one ends Pairable")
  func vanished() throws {
    let lab = try Lab()
    let (first, second) = (try lab.join(), try lab.join())
    #expect(try register(first) == "RegisterAgent replied")
    #expect(try register(second) == "RegisterAgent replied")
    try lab.pass()
    lab.client.forget()
    first.leave()
    try lab.pass()
    #expect(lab.client.take() == [])
    second.leave()
    try lab.pass()
    #expect(lab.client.take() == ["hci0 Adapter1 Pairable=false"])
  }

  // MARK: Pair

  @Test("Pair with a link sets Bonded and Paired in one message, then replies")
  func connected() throws {
    let lab = try Lab.connected()
    _ = try register(lab.client)
    try lab.pass()
    lab.client.forget()
    try lab.client.call("Pair", .device)
    #expect(lab.client.take() == ["DEV Device1 Bonded=true Paired=true", "Pair replied"])
  }

  @Test("Pair without a link connects first, and replies once the services are resolved")
  func disconnected() throws {
    let lab = try Lab.discovered()
    _ = try register(lab.client)
    try lab.pass()
    lab.client.forget()
    try lab.client.call("Pair", .device)
    let lines = lab.client.take()
    #expect(lines.first == "DEV Device1 Connected=true")
    #expect(lines.last == "Pair replied")
    let change = lines.dropLast().last ?? ""
    #expect(change.hasPrefix("DEV Device1 UUIDs="))
    #expect(change.hasSuffix("ServicesResolved=true Paired=true"))
    #expect(lines.contains("DEV Device1 Bonded=true"))
  }

  @Test("without an agent, Pair fails, and the link that it made stays up")
  func withoutAgent() throws {
    let lab = try Lab.discovered()
    let failed = "Pair failed org.bluez.Error.AuthenticationFailed: Authentication Failed"
    try lab.client.begin("Pair", .device)
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.prefix(2) == ["DEV Device1 Connected=true", failed])
    #expect(lab.client.lines.contains { $0.contains("ServicesResolved=true") })
    #expect(try lab.client.ask("Pair", .device) == failed)
    #expect(try lab.client.property("Paired", .device) == .boolean(false))
    #expect(lab.simulator.connectedDevices == [.monitor])
  }

  private static let failed =
    "Pair failed org.bluez.Error.AuthenticationFailed: Authentication Failed"

  @Test(
    "the agent of a desktop answers for programs that have none, also after a restart of bluetoothd",
    arguments: [
      ("042137", .passkeyEntry, "Pair replied"), ("000001", .passkeyEntry, failed),
      ("yes", .confirm, "Pair replied"), ("no", .confirm, failed),
    ] as [(String, PairingDefinition.Method, String)]
  )
  func desktop(answer: String, method: PairingDefinition.Method, result: String) throws {
    let monitor = DeviceDefinition.monitor.changing { device in
      device.pairing = PairingDefinition(method, passkey: 42_137)
    }
    let control = try ControlLab([monitor])
    let lab = control.lab
    let agent = DesktopAgent(try #require(DesktopAgent.Answer(answer)), on: try lab.bus.connect())
    try lab.loop.run { try await agent.start() }
    try control.steer("Restart", .uint32(100))
    try lab.connect()
    #expect(try lab.client.ask("Pair", .device) == result)
    withExtendedLifetime(agent) {}
  }

  @Test(
    "an answer of a desktop is a passkey of six digits, yes or no",
    arguments: ["", "42137", "Yes", "04213a", "0421370"])
  func invalidAnswer(text: String) { #expect(DesktopAgent.Answer(text) == nil) }

  @Test("Pair of a paired device is not answered until the link ends")
  func again() throws {
    let lab = try Lab.connected()
    _ = try register(lab.client)
    try lab.client.call("Pair", .device)
    lab.client.forget()
    try lab.client.begin("Pair", .device)
    try lab.pass(.seconds(40))
    #expect(lab.client.take() == [])
    try lab.client.call("Disconnect", .device)
    try lab.pass()
    #expect(
      lab.client.take() == [
        "DEV removed Battery1", "DEV Device1 ServicesResolved=false", "Disconnect replied",
        "DEV Device1 Connected=false",
        "Pair failed org.bluez.Error.AuthenticationCanceled: Authentication Canceled",
      ]
    )
  }

  @Test("a second Pair is refused while one is pending; CancelPairing ends the pending one")
  func canceled() throws {
    let lab = try Lab.discovered()
    _ = try register(lab.client)
    #expect(
      try lab.client.ask("CancelPairing", .device)
        == "CancelPairing failed org.bluez.Error.DoesNotExist: Does Not Exist"
    )
    try lab.client.begin("Pair", .device)
    #expect(
      try lab.client.ask("Pair", .device) == "Pair failed org.bluez.Error.InProgress: In Progress"
    )
    lab.client.forget()
    #expect(try lab.client.ask("CancelPairing", .device) == "CancelPairing replied")
    #expect(
      lab.client.take() == [
        "Pair failed org.bluez.Error.AuthenticationCanceled: Authentication Canceled",
        "CancelPairing replied",
      ]
    )
    try lab.pass(.seconds(1))
    #expect(try lab.client.property("Paired", .device) == .boolean(false))
  }

  @Test("Pair of a device out of range fails as Connect does")
  func absent() throws {
    let lab = try Lab.discovered()
    _ = try register(lab.client)
    lab.simulator.vanish(.monitor)
    #expect(
      try lab.client.ask("Pair", .device)
        == "Pair failed org.bluez.Error.ConnectionAttemptFailed: Page Timeout"
    )
  }
}
