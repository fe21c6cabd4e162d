// Requests that bluetoothd itself sends to a device: battery level and subscriptions.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Subscriptions made by bluetoothd")
struct OwnSubscriptionTests {

  static let configuration = Target(
    ObjectPath(stringLiteral: Target.battery.path.text + "/desc0015"), GattDescriptor1.interface
  )

  @Test("Battery1 follows the level without subscribers, and the characteristic announces nothing")
  func follows() throws {
    let lab = try Lab.connected()
    try lab.pass(.seconds(121))
    #expect(lab.client.take() == ["DEV Battery1 Percentage=86", "DEV Battery1 Percentage=85"])
    #expect(lab.events.allSatisfy { "\($0)".contains("link up") || "\($0)".contains("scan") })
  }

  @Test("when the last client unsubscribes, bluetoothd unsubscribes too, for this connection")
  func stopped() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .battery)
    try lab.client.call("StopNotify", .battery)
    lab.client.forget()
    try lab.pass(.seconds(61))
    #expect(lab.client.take() == [])
    #expect(lab.events.suffix(2).map { "\($0)".contains("subscribed") } == [true, true])
    lab.simulator.loseLink(.monitor)
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(62))
    #expect(lab.client.take().last?.hasPrefix("DEV Battery1 Percentage=") == true)
  }

  @Test("its subscription and Battery1 end with the link and return with the next link")
  func link() throws {
    let lab = try Lab.connected()
    lab.simulator.loseLink(.monitor)
    try lab.pass(.seconds(121))
    #expect(!lab.client.take().contains { $0.contains("Percentage") })
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(lab.client.take().contains { $0.hasPrefix("DEV added Battery1") })
    try lab.pass(.seconds(61))
    #expect(lab.client.take().last?.hasPrefix("DEV Battery1 Percentage=") == true)
  }

  @Test("the configurations of the level and of Service Changed read as subscribed")
  func configurations() throws {
    let lab = try Lab.connected()
    let level = try lab.client.call("ReadValue", Self.configuration, .noOptions)
    #expect(try level.get() == [.bytes([1, 0])])
    let changed = Target(
      ObjectPath(stringLiteral: Target.device.path.text + "/service0006/char0007/desc0009"),
      GattDescriptor1.interface
    )
    #expect(try lab.client.call("ReadValue", changed, .noOptions).get() == [.bytes([2, 0])])
  }

  @Test("Battery1 is removed and added with the battery service")
  func offered() throws {
    let lab = try Lab.connected()
    lab.simulator.offer(BluetoothUUID(short: 0x180f), false, at: .monitor)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take().contains("DEV removed Battery1"))
    lab.simulator.offer(BluetoothUUID(short: 0x180f), true, at: .monitor)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take().contains { $0.hasPrefix("DEV added Battery1") })
  }
}
