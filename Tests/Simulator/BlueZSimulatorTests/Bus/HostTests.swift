// Faults of the host: the adapter unplugged, bluetoothd killed and restarted, calls delayed.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Host faults")
struct HostTests {
  private static let object = "removed Properties Introspectable"

  @Test(
    "unplugging drops connections, then removes the objects, children first and the adapter last"
  )
  func unplug() throws {
    let lab = try Lab.connected([.small])
    lab.simulator.unplug()
    try lab.pass()
    #expect(
      lab.client.take() == [
        "DEV Device1 ServicesResolved=false Connected=false",
        "DEV/service0006/char0007/desc0009 \(Self.object) GattDescriptor1",
        "DEV/service0006/char0007 \(Self.object) GattCharacteristic1",
        "DEV/service0006 \(Self.object) GattService1",
        "DEV/service000a/char000b/desc000d \(Self.object) GattDescriptor1",
        "DEV/service000a/char000b \(Self.object) GattCharacteristic1",
        "DEV/service000a \(Self.object) GattService1",
        "DEV \(Self.object) Device1 Battery1",
        "hci0 Adapter1 Powered=false Discovering=false",
        "hci0 \(Self.object) Adapter1 LEAdvertisingManager1 GattManager1 NetworkServer1 Media1",
      ]
    )
    #expect(lab.events.last == .linkDown(.monitor))
    #expect(try lab.client.ask("StartDiscovery", .adapter).contains("UnknownObject"))
  }

  @Test("unplugging during a scan stops reception of the devices, then removes them")
  func scan() throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    lab.client.forget()
    lab.simulator.unplug()
    try lab.pass()
    let lines = lab.client.take()
    #expect(lines.first?.contains("RSSI") == true && lines.count == 4, "\(lines)")
    #expect(lines.dropFirst().first == "DEV \(Self.object) Device1")
  }

  @Test("unplugging leaves pending requests and a pending Connect unanswered")
  func pending() throws {
    let slow = FaultRule(on: .read, characteristic: .own(9), action: .slow(.seconds(1)))
    let lab = try Lab.connected([.monitor], faults: [slow])
    try lab.client.begin("ReadValue", .slow, .noOptions)
    try lab.pass(.milliseconds(20))
    lab.simulator.unplug()
    try lab.pass(.seconds(100))
    #expect(!lab.client.take().contains { $0.contains("ReadValue") })

    let other = try Lab.discovered(faults: [FaultRule(on: .connect, action: .slow(.seconds(5)))])
    try other.client.begin("Connect", .device)
    try other.pass(.seconds(1))
    other.simulator.unplug()
    try other.pass(.seconds(100))
    #expect(!other.client.take().contains { $0.contains("Connect ") })
  }

  @Test("unplugging fails a Pair that is still connecting")
  func pairing() throws {
    let lab = try Lab.discovered(faults: [FaultRule(on: .connect, action: .slow(.seconds(5)))])
    try lab.client.begin("Pair", .device)
    try lab.pass(.seconds(1))
    lab.client.forget()
    lab.simulator.unplug()
    try lab.pass()
    let failed = "Pair failed org.bluez.Error.AuthenticationFailed: Authentication Failed"
    #expect(lab.client.take().first == failed)
  }

  @Test("after replugging, a device that was connected is known below the new path, disconnected")
  func renumbered() throws {
    let lab = try Lab.connected([.small])
    lab.simulator.unplug()
    lab.simulator.plugIn(as: 1)
    try lab.pass()
    let objects = try lab.client.objects()
    #expect(!objects.contains { $0.path == "hci0" })
    let adapter = try #require(objects.first { $0.path.hasSuffix("hci1") }?["Adapter1"])
    #expect(adapter["Powered"]?.asBool == true)
    let device = try #require(objects.compactMap { $0["Device1"] }.first)
    #expect(device["Connected"]?.asBool == false)
    #expect(device["RSSI"] == nil && device["ManufacturerData"] == nil)
    #expect(device["Name"]?.asString != nil)
    #expect(device["Adapter"]?.asObjectPath == "/org/bluez/hci1")
    let path: ObjectPath = "/org/bluez/hci1/dev_C0_FF_EE_00_00_01"
    #expect(try lab.client.ask("Connect", Target(path, Device1.interface)) == "Connect replied")
    try lab.pass(.seconds(1))
    #expect(lab.simulator.connectedDevices == [.monitor])
  }

  @Test("after replugging, a device that was only discovered is unknown")
  func temporary() throws {
    let lab = try Lab.discovered()
    lab.simulator.unplug()
    lab.simulator.plugIn()
    try lab.pass()
    #expect(try lab.client.objects().compactMap { $0["Device1"] }.isEmpty)
  }

  @Test("killing bluetoothd removes only its bus name, and drops the connection")
  func crash() throws {
    let lab = try Lab.connected()
    try lab.client.begin("ReadValue", .slow, .noOptions)
    lab.simulator.crash()
    try lab.pass()
    let lines = lab.client.take()
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("NoReply") == true, "\(lines)")
    #expect(lab.events.last == .linkDown(.monitor))
    #expect(lab.simulator.connectedDevices == [])
  }

  @Test("a call that is handled after its caller left the bus has no effect")
  func callerLeft() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    lab.simulator.treatCalls { $0.member == "StartNotify" ? .delay(.seconds(3)) : .take }
    try other.begin("StartNotify", .heartRate)
    try lab.pass(.seconds(1))
    other.leave()
    try lab.pass(.seconds(10))
    #expect(try lab.client.property("Notifying", .heartRate) == .boolean(false))
  }

  @Test("a delayed call to a removed object fails with UnknownObject")
  func late() throws {
    let lab = try Lab.discovered()
    lab.simulator.treatCalls { $0.member == "Connect" ? .delay(.seconds(3)) : .take }
    try lab.client.begin("Connect", .device)
    lab.simulator.unplug()
    try lab.pass(.seconds(4))
    #expect(lab.client.take().last?.contains("UnknownObject") == true)
  }

  /// The lines in which objects are added, and `ServicesResolved` is announced, after a Connect.
  private func story(_ resolution: ServiceResolution) throws -> [String] {
    let lab = try Lab.discovered([.small])
    lab.simulator.resolve(resolution, at: .monitor)
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(100))
    return lab.client.take().compactMap { line in
      if line.contains("ServicesResolved=true") { return "resolved" }
      return line.contains("GattService1") ? "service" : nil
    }
  }

  @Test("services are resolved in order, early, without objects, or never")
  func resolutions() throws {
    #expect(try story(.inOrder) == ["service", "service", "resolved"])
    #expect(
      try story(.early(.milliseconds(300))) == ["resolved", "service", "service", "resolved"])
    #expect(try story(.empty) == ["resolved"])
    #expect(try story(.never) == [])
  }
}
