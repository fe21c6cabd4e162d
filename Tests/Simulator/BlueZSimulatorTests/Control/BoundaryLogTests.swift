// The log of everything that clients did.

import BLETesting
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Boundary log")
struct BoundaryLogTests {
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
    let log = BoundaryLog(limit: 8)
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
