// The log of everything that clients did.

import BLETesting
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("The log of a simulation")
struct SimulatorLogTests {
  @Test("a client's action is logged under the client's name, with its effect at the device")
  func story() throws {
    let control = try ControlLab()
    let (lab, client) = (control.lab, control.lab.client)
    try lab.discover()
    try client.call("Connect", .device)
    try lab.pass(.seconds(1))
    let before = try #require(lab.world.log.last).number
    try client.call("WriteValue", .echo, .write([1, 2]))
    try client.call("StartNotify", .echo)
    try client.call("ReadValue", .battery, .noOptions)
    try client.call("Disconnect", .device)
    try lab.pass()
    let (name, device) = (client.connection.uniqueName, "C0:FF:EE:00:00:01")
    let own = BluetoothUUID.own(1).text
    let battery = BluetoothUUID(short: 0x2a19).text
    #expect(
      try control.log(since: before) == [
        "\(name) GattCharacteristic1.WriteValue \(device) \(own) [1, 2]",
        "written \(device) \(own) [1, 2]",
        "\(name) GattCharacteristic1.StartNotify \(device) \(own)",
        "subscribed \(device) \(own)",
        "\(name) GattCharacteristic1.ReadValue \(device) \(battery)",
        "read \(device) \(battery)",
        "\(name) Device1.Disconnect \(device)",
        "link-down \(device)",
      ]
    )
    #expect(
      lab.world.log.prefix(2).map(\.event) == [
        "Adapter1.SetDiscoveryFilter", "Adapter1.StartDiscovery",
      ]
    )
  }

  /// The entries of the device above a number, without the calls of clients.
  private func device(_ lab: Lab, since number: UInt64) -> [String] {
    lab.world.log.filter { $0.number > number && $0.client.isEmpty }.map(\.description)
  }

  @Test("a refused request is logged with its ATT error, whether the device or a fault refused it")
  func refusals() throws {
    let control = try ControlLab()
    let (lab, client) = (control.lab, control.lab.client)
    try lab.connect()
    let before = try #require(lab.world.log.last).number
    try client.call("WriteValue", .short, .write([1, 2, 3, 4, 5]))
    try client.call("WriteValue", .short, .write([1]))
    for operation in ["read", "write"] {
      let rule = "{ on: \(operation), do: refuse 0x80 }"
      try control.steer("AddFault", .string("Lab HRM"), .string(rule))
    }
    try client.call("WriteValue", .short, .write([2]))
    try client.call("ReadValue", .location, .noOptions)
    try client.call("WriteValue", .description, .write([3]))
    let own = "C0:FF:EE:00:00:01 \(BluetoothUUID.own(3))"
    let location = "C0:FF:EE:00:00:01 \(BluetoothUUID(short: 0x2a38))"
    let description = "C0:FF:EE:00:00:01 \(BluetoothUUID(short: 0x2901))"
    #expect(
      device(lab, since: before) == [
        "written \(own) 0102030405", "write-refused-0x0d \(own) 0102030405",
        "written \(own) 01",
        "written \(own) 02", "write-refused-0x80 \(own) 02",
        "read \(location)", "read-refused-0x80 \(location)",
        "write-refused-0x80 \(description) 03",
      ]
    )
  }

  @Test(
    "a request that waits for a pairing is logged: refused for now, and an agent was asked or is missing",
    arguments: [(true, "agent-asked"), (false, "agent-missing")]
  )
  func waiting(hasAgent: Bool, event: String) throws {
    let monitor = DeviceDefinition.monitor.changing { device in
      device.services[0].characteristics[1].security = AttributeSecurity(read: .encrypted)
    }
    let lab = try Lab([monitor])
    if hasAgent {
      let agent = DBusValue.objectPath("/test/agent")
      try lab.client.call("RegisterAgent", .agents, [agent, .string("NoInputNoOutput")])
      try lab.client.call("RequestDefaultAgent", .agents, [agent])
    }
    try lab.connect()
    let before = try #require(lab.world.log.last).number
    try lab.client.begin("ReadValue", .location, .noOptions)
    try lab.pass(.seconds(1))
    let location = "C0:FF:EE:00:00:01 \(BluetoothUUID(short: 0x2a38))"
    #expect(
      device(lab, since: before).prefix(3) == [
        "read \(location)", "read-refused-0x0f \(location)", "\(event) C0:FF:EE:00:00:01",
      ]
    )
  }

  @Test("property changes, control actions and departures of clients are logged")
  func others() throws {
    let control = try ControlLab()
    let other = try control.lab.join()
    let name = other.connection.uniqueName
    try other.set("Powered", .boolean(false), .adapter)
    other.leave()
    try control.lab.pass()
    try control.steer("Vanish", .string("Lab HRM"))
    let log = try control.log()
    #expect(log.contains("\(name) Adapter1.Powered=false"))
    #expect(log.contains("\(name) left"))
    #expect(log.last == "\(control.person.uniqueName) Simulator1.Vanish C0:FF:EE:00:00:01")
  }

  @Test("each entry is sent as a signal, in order")
  func signals() throws {
    let control = try ControlLab()
    try control.lab.connect()
    try control.lab.pass()
    let numbers = control.signals.all.filter { $0.member == "Logged" }.map { $0.body[0].asUInt64 }
    #expect(numbers == control.lab.world.log.map(\.number))
    #expect(numbers.count > 4)
  }

  @Test("a full log drops its oldest entries and continues its numbering")
  func bounded() throws {
    let lab = try Lab()
    let log = SimulatorLog(limit: 8)
    let bus = lab.bus
    let simulator = BlueZSimulator(bus: try bus.connect(), devices: [], log: log)
    lab.simulator.crash()
    try lab.loop.run { try await simulator.start() }
    let client = try lab.join()
    for _ in 0..<20 { try client.call("StartDiscovery", .adapter) }
    #expect(log.entries.count <= 8)
    #expect(log.entries.last?.number == 21)
    #expect(log.entries(since: 20).map(\.number) == [21])
    #expect(log.entries(since: 0) == log.entries)
    #expect(log.entries(since: 21) == [])
  }
}
