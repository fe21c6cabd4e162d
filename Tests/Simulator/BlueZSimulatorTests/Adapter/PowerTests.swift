// Powering the adapter off and on: links, discovery and objects.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Power")
struct PowerTests {
  private func set(_ isOn: Bool, _ lab: Lab) throws {
    try lab.client.set("Powered", .boolean(isOn), .adapter)
    try lab.pass()
  }

  @Test("powering off while connected drops the link, then replies, then changes the adapter")
  func connected() throws {
    let slow = FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(5)))
    let lab = try Lab.connected(faults: [slow])
    let socket = try lab.client.call("AcquireNotify", .heartRate, .noOptions).get()
    lab.client.forget()
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.pass(.milliseconds(100))
    try set(false, lab)
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false",
        "ReadValue failed org.bluez.Error.Failed: Operation failed with ATT error: 0x0e",
        "DEV removed Battery1",
        "DEV/service000a/char000b GattCharacteristic1 NotifyAcquired=false",
        "Set replied",
        "hci0 Adapter1 Powered=false Discovering=false",
      ]
    )
    #expect(socket.count == 2)
    #expect(lab.simulator.connectedDevices == [])
  }

  @Test(
    "powering off while discovering removes the devices, replies, then changes the adapter"
  )
  func discovering() throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    lab.client.forget()
    try set(false, lab)
    #expect(
      lab.client.take() == [
        "DEV removed Properties Introspectable Device1", "Set replied",
        "hci0 Adapter1 Powered=false Discovering=false",
      ]
    )
    #expect(lab.events == [.scanning(true), .scanning(false)])
  }

  @Test("a device that was connected stays known, with its attributes, while the adapter is off")
  func kept() throws {
    let lab = try Lab.connected()
    let before = try lab.client.objects().map(\.path)
    try set(false, lab)
    #expect(try lab.client.objects().map(\.path) == before)
    #expect(
      try lab.client.ask("ReadValue", .battery, .noOptions)
        == "ReadValue failed org.bluez.Error.Failed: Not connected"
    )
    let device = [DBusValue.objectPath(Target.device.path)]
    #expect(
      try lab.client.ask("RemoveDevice", .adapter, device)
        == "RemoveDevice failed org.bluez.Error.NotReady: Resource Not Ready"
    )
  }

  @Test(
    "powering on replies, then changes Powered; discovery does not resume, and filters are gone"
  )
  func on() throws {
    let lab = try Lab()
    let filter: PropertyMap = ["UUIDs": .strings(["fff0"])]
    try lab.client.call("SetDiscoveryFilter", .adapter, [.properties(filter)])
    try lab.client.call("StartDiscovery", .adapter)
    try set(false, lab)
    lab.client.forget()
    try set(true, lab)
    #expect(lab.client.take() == ["Set replied", "hci0 Adapter1 Powered=true"])
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == [])
    #expect(
      try lab.client.ask("StopDiscovery", .adapter)
        == "StopDiscovery failed org.bluez.Error.Failed: No discovery started"
    )
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    #expect(lab.client.lines.last == "DEV added Device1")
  }

  @Test("powering off fails a pending Connect")
  func connecting() throws {
    let lab = try Lab.connected()
    lab.simulator.vanish(.monitor)
    try lab.pass()
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    lab.client.forget()
    try set(false, lab)
    #expect(
      lab.client.take() == [
        "Connect failed org.bluez.Error.Failed: le-connection-abort-by-local", "Set replied",
        "hci0 Adapter1 Powered=false Discovering=false",
      ]
    )
    try lab.pass(.seconds(60))
    #expect(lab.client.take() == [])
  }
}
