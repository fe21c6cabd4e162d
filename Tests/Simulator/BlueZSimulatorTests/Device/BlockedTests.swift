// Devices that the host has blocked.

import BlueZInterfaces
import BlueZSimulator
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Blocked devices")
struct BlockedTests {
  private func set(_ isBlocked: Bool, _ lab: Lab) throws {
    try lab.client.set("Blocked", .boolean(isBlocked), .device)
    try lab.pass()
  }

  @Test("blocking a device drops its link without Disconnect's delay")
  func connected() throws {
    let lab = try Lab.connected()
    try set(true, lab)
    #expect(
      lab.client.take() == [
        "DEV Device1 Blocked=true", "DEV removed Battery1", "Set replied",
        "DEV Device1 ServicesResolved=false Connected=false",
      ]
    )
    #expect(lab.simulator.connectedDevices.isEmpty)
  }

  @Test("a blocked device is received but cannot be connected until it is unblocked")
  func connecting() throws {
    let lab = try Lab.discovered()
    try set(true, lab)
    lab.client.forget()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    try lab.client.call("StopDiscovery", .adapter)
    #expect(lab.client.take().contains { $0.contains("RSSI") })
    let began = lab.loop.now
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(2))
    // That comes too late for the attempt under way.
    try set(false, lab)
    try lab.pass(.seconds(39))
    let received = lab.client.take()
    let failed = "Connect failed org.bluez.Error.Failed: le-connection-abort-by-local"
    #expect(received.contains(failed))
    #expect(lab.loop.now - began < .seconds(42))
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
  }

  @Test("a device stays known after it was blocked")
  func known() throws {
    let lab = try Lab.discovered()
    try set(true, lab)
    try lab.pass(.seconds(60))
    #expect(try lab.client.property("Blocked", .device) == .boolean(true))
  }
}
