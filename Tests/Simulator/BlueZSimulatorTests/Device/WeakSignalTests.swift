// A device at the edge of reach: scans, connections and links over the simulated bluetoothd.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Weak signals")
struct WeakSignalTests {
  func lab(rssi: Int) throws -> Lab {
    var device = DeviceDefinition.monitor
    device.advertisement.rssi = rssi
    device.advertisement.rssiSpread = 0
    return try Lab([device])
  }

  /// The number of RSSI changes announced within ten seconds of a scan.
  func reports(_ lab: Lab) throws -> Int {
    let filter = DBusValue.properties(["DuplicateData": .boolean(true)])
    try lab.client.call("SetDiscoveryFilter", .adapter, [filter])
    try lab.client.call("StartDiscovery", .adapter)
    lab.client.forget()
    try lab.pass(.seconds(10))
    try lab.client.call("StopDiscovery", .adapter)
    return lab.client.messages.count { $0.body.first?.asString == Device1.interface }
  }

  @Test("weaker advertisements are lost more often")
  func advertisements() throws {
    let counts = try [-60, -95, -100].map { try reports(lab(rssi: $0)) }
    #expect(counts[0] >= 90)
    #expect((20...80).contains(counts[1]))
    #expect(counts[2] == 0)
  }

  @Test("Connect to a device out of range waits, and connects when the device comes near")
  func connect() throws {
    let lab = try lab(rssi: -60)
    try lab.discover()
    lab.device.move(to: -110)
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(20))
    #expect(lab.simulator.connectedDevices.isEmpty)
    lab.device.move(to: -60)
    try lab.pass(.seconds(1))
    #expect(lab.client.take().contains("Connect replied"))
    #expect(lab.simulator.connectedDevices == [.monitor])
  }

  @Test("Connect to a device that stays out of range fails, as with bluetoothd")
  func unreachable() throws {
    let lab = try lab(rssi: -60)
    try lab.discover()
    lab.device.move(to: -110)
    let began = lab.loop.now
    #expect(try lab.client.ask("Connect", .device).contains("abort-by-local"))
    #expect(lab.loop.now - began == .seconds(40))
  }

  @Test("a connection drops when the device moves away, and is announced as lost")
  func carriedAway() throws {
    let lab = try lab(rssi: -60)
    try lab.connect()
    lab.device.move(to: -105, within: .seconds(5))
    try lab.pass(.seconds(6))
    #expect(try lab.client.property("Connected", .device) == .boolean(false))
    #expect(try lab.client.ask("ReadValue", .battery, .noOptions).contains("Not connected"))
  }
}
