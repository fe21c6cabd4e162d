// A host with two adapters, and one device in range of both.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Several adapters")
struct SeveralAdaptersTests {
  let first = Target("/org/bluez/hci0", Adapter1.interface)
  let second = Target("/org/bluez/hci3", Adapter1.interface)
  let far = Target("/org/bluez/hci3/dev_C0_FF_EE_00_00_01", Device1.interface)

  func lab(isPowered: Bool = true) throws -> Lab {
    var settings = SimulatorSettings(version: .debian12)
    let address = try #require(BluetoothAddress("00:00:5E:00:53:77"))
    settings.adapters.append(
      AdapterSettings(number: 3, address: address, name: "dongle", isPowered: isPowered)
    )
    return try Lab(settings: settings)
  }

  func paths(_ lab: Lab) throws -> [String] { try lab.client.objects().map(\.path).sorted() }

  @Test("both adapters are present, each with its own name, address and power state")
  func both() throws {
    let lab = try lab(isPowered: false)
    #expect(try paths(lab) == ["/org/bluez", "/org/bluez/hci3", "hci0"])
    #expect(try lab.client.property("Address", second) == .string("00:00:5E:00:53:77"))
    #expect(try lab.client.property("Alias", second) == .string("dongle"))
    #expect(try lab.client.property("Powered", second) == .boolean(false))
    #expect(try lab.client.property("Powered", first) == .boolean(true))
    #expect(try lab.client.ask("StartDiscovery", second).contains("NotReady"))
  }

  @Test(
    "a device connected through one adapter is neither received nor connectable through the other"
  )
  func link() throws {
    let lab = try lab()
    try lab.discover()
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    try lab.client.call("StartDiscovery", second)
    try lab.pass(.seconds(2))
    #expect(try !paths(lab).contains(far.path.text))
    #expect(try lab.client.ask("Disconnect", .device) == "Disconnect replied")
    try lab.pass(.seconds(2))
    #expect(try paths(lab).contains(far.path.text))
    try lab.client.call("StopDiscovery", second)
    #expect(try lab.client.ask("Connect", far) == "Connect replied")
    #expect(lab.simulator.connectedDevices == [.monitor])
    #expect(try lab.client.ask("Connect", .device).contains("abort-by-local"))
    #expect(try lab.client.property("Connected", far) == .boolean(true))
  }

  @Test("unplugging the first adapter does not affect the other or its connections")
  func unplugged() throws {
    let lab = try lab()
    try lab.client.call("StartDiscovery", second)
    try lab.pass(.seconds(1))
    try lab.client.call("StopDiscovery", second)
    #expect(try lab.client.ask("Connect", far) == "Connect replied")
    lab.simulator.unplug()
    try lab.pass(.seconds(1))
    #expect(try !paths(lab).contains("hci0"))
    #expect(try lab.client.property("Connected", far) == .boolean(true))
    // That number is taken.
    lab.simulator.plugIn(as: 3)
    try lab.pass(.seconds(1))
    #expect(try paths(lab).contains("/org/bluez/hci4"))
    lab.simulator.vanish(.monitor)
    try lab.pass(.seconds(1))
    #expect(try lab.client.property("Connected", far) == .boolean(false))
  }

  @Test("a restart keeps the devices of each adapter separate")
  func restart() throws {
    let lab = try lab()
    try lab.client.call("StartDiscovery", second)
    try lab.pass(.seconds(1))
    #expect(try lab.client.ask("Connect", far) == "Connect replied")
    lab.simulator.stop()
    lab.simulator.crash()
    let bus = try lab.bus.connect()
    let successor = lab.simulator.successor(on: bus)
    try lab.loop.run { try await successor.start() }
    try lab.pass(.seconds(1))
    let found = try paths(lab)
    #expect(found.contains(far.path.text) && !found.contains("DEV"))
    successor.stop()
  }

  @Test("replacing and powering the second adapter leaves the first unchanged")
  func steered() throws {
    let lab = try lab()
    try lab.connect()
    try lab.client.call("StartNotify", .heartRate)
    lab.simulator.unplug(adapter: 1)
    try lab.pass(.milliseconds(1))
    #expect(try !paths(lab).contains(second.path.text))
    lab.simulator.plugIn(as: 5, adapter: 1)
    lab.simulator.setPowered(false, adapter: 1)
    try lab.pass(.milliseconds(1))
    let back = Target("/org/bluez/hci5", Adapter1.interface)
    #expect(try lab.client.property("Powered", back) == .boolean(false))
    #expect(try lab.client.property("Powered", first) == .boolean(true))
    #expect(try lab.client.property("Connected", .device) == .boolean(true))
    lab.client.forget()
    try lab.pass(.milliseconds(2500))
    let notified = lab.client.take().count { $0.contains("Value") }
    #expect(notified >= 2, "the link over the first still carries what the device sends")
  }

  @Test("a connection attempt on one adapter continues when a connection on the other ends")
  func takesOver() throws {
    let lab = try lab()
    try lab.discover()
    try lab.client.call("StartDiscovery", second)
    try lab.pass(.seconds(1))
    try lab.client.call("StopDiscovery", second)
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    try lab.client.begin("Connect", far)
    try lab.pass(.seconds(10))
    #expect(try lab.client.property("Connected", far) == .boolean(false))
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(1))
    #expect(try lab.client.property("Connected", far) == .boolean(true))
    #expect(try lab.client.property("Connected", .device) == .boolean(false))
  }

  @Test("a restarted bluetoothd finds the adapters under their current indexes")
  func restarted() throws {
    let lab = try lab()
    lab.simulator.unplug(adapter: 0)
    lab.simulator.unplug(adapter: 1)
    lab.simulator.plugIn(as: 7, adapter: 1)
    lab.simulator.crash()
    let successor = lab.simulator.successor(on: try lab.bus.connect())
    try lab.loop.run { try await successor.start() }
    try lab.pass()
    #expect(try paths(lab) == ["/org/bluez", "/org/bluez/hci7"])
    successor.stop()
  }
}
