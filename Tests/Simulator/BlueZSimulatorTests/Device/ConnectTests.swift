// Connecting: the order of signals and answers, and the refusals.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Connect")
struct ConnectTests {
  private static let pending =
    "Connect failed org.bluez.Error.Failed: Operation already in progress"
  private static let aborted =
    "Connect failed org.bluez.Error.Failed: le-connection-abort-by-local"
  private static let canceled = "Connect failed org.bluez.Error.Failed: br-connection-canceled"
  private static let ioError = "Connect failed org.bluez.Error.Failed: Input/output error"

  @Test(
    "Connect sets Connected, replies, adds attributes and UUIDs, then ServicesResolved and Battery1"
  )
  func first() throws {
    let lab = try Lab.discovered()
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    let uuids = [
      "00001800-0000-1000-8000-00805f9b34fb", "00001801-0000-1000-8000-00805f9b34fb",
      "0000180d-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb",
      "6e5d0000-1b1a-4e1c-8f6b-0b6c1d2e3f40",
    ].map { "\"\($0)\"" }.joined(separator: ", ")
    #expect(
      lab.client.take() == [
        "DEV Device1 Connected=true",
        "Connect replied",
        "DEV/service0006 added GattService1",
        "DEV/service0006/char0007 added GattCharacteristic1",
        "DEV/service0006/char0007/desc0009 added GattDescriptor1",
        "DEV/service000a added GattService1",
        "DEV/service000a/char000b added GattCharacteristic1",
        "DEV/service000a/char000b/desc000d added GattDescriptor1",
        "DEV/service000a/char000e added GattCharacteristic1",
        "DEV/service000a/char0010 added GattCharacteristic1",
        "DEV/service0012 added GattService1",
        "DEV/service0012/char0013 added GattCharacteristic1",
        "DEV/service0012/char0013/desc0015 added GattDescriptor1",
        "DEV/service0016 added GattService1",
        "DEV/service0016/char0017 added GattCharacteristic1",
        "DEV/service0016/char0017/desc0019 added GattDescriptor1",
        "DEV/service0016/char0017/desc001a added GattDescriptor1",
        "DEV/service0016/char001b added GattCharacteristic1",
        "DEV/service0016/char001d added GattCharacteristic1",
        "DEV/service0016/char001d/desc001f added GattDescriptor1",
        "DEV/service0016/char0020 added GattCharacteristic1",
        "DEV/service0016/char0022 added GattCharacteristic1",
        "DEV Device1 UUIDs=[\(uuids)] ServicesResolved=true",
        "DEV added Battery1",
      ]
    )
    #expect(lab.simulator.connectedDevices == [.monitor])
  }

  @Test("the name of a device that advertises none is read after its services are resolved")
  func name() throws {
    let unnamed = DeviceDefinition.monitor.changing { $0.advertisement.includesName = false }
    let lab = try Lab.discovered([unnamed])
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    let lines = lab.client.take()
    let read = lines.firstIndex { $0.contains(" Name=") }
    let resolved = lines.firstIndex { $0.hasSuffix(" ServicesResolved=true") }
    #expect(try #require(read) > #require(resolved))
    #expect(try lab.client.property("Alias", .device) == .string("Lab HRM"))
  }

  @Test("in each connection, Device Name replaces an advertised name until the next advertisement")
  func gapName() throws {
    let renamed = DeviceDefinition.monitor.changing { $0.gapName = "HRM 9" }
    let lab = try Lab.discovered([renamed])
    for _ in 0..<2 {
      #expect(try lab.client.property("Name", .device) == .string("Lab HRM"))
      try lab.client.begin("Connect", .device)
      try lab.pass(.seconds(1))
      let lines = lab.client.take()
      let read = lines.firstIndex { $0.contains(" Name=\"HRM 9\"") }
      let resolved = lines.firstIndex { $0.hasSuffix(" ServicesResolved=true") }
      #expect(try #require(read) > #require(resolved))
      #expect(try lab.client.property("Alias", .device) == .string("HRM 9"))
      try lab.client.call("Disconnect", .device)
      #expect(try lab.client.property("Name", .device) == .string("HRM 9"))
      try lab.discover()
    }
  }

  @Test("reconnecting a known device does not announce its attributes again")
  func again() throws {
    let lab = try Lab.connected()
    try lab.client.call("Disconnect", .device)
    try lab.pass()
    lab.client.forget()
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(
      lab.client.take() == [
        "DEV Device1 Connected=true", "Connect replied", "DEV Device1 ServicesResolved=true",
        "DEV added Battery1",
      ]
    )
  }

  @Test("Connect while connected succeeds at once, without a signal")
  func connected() throws {
    let lab = try Lab.connected()
    let start = lab.loop.now
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
    #expect(lab.loop.now == start)
    try lab.pass()
    #expect(lab.client.take() == ["Connect replied"])
  }

  @Test("a second Connect is refused while the first is pending, whichever client calls it")
  func connecting() throws {
    let lab = try Lab.discovered()
    let other = try lab.join()
    try lab.client.begin("Connect", .device)
    #expect(try lab.client.ask("Connect", .device) == Self.pending)
    #expect(try other.ask("Connect", .device) == Self.pending)
    try lab.pass(.seconds(1))
    #expect(lab.client.lines.contains("Connect replied"))
  }

  @Test("Connect to a device out of range fails after 40 s without a signal")
  func absent() throws {
    let lab = try Lab.discovered()
    lab.simulator.vanish(.monitor)
    let start = lab.loop.now
    #expect(try lab.client.ask("Connect", .device) == Self.aborted)
    #expect(lab.loop.now - start == .seconds(40))
    #expect(lab.client.take() == [Self.aborted])
  }

  @Test("with the adapter off, Connect fails with an input/output error")
  func off() throws {
    let lab = try Lab.connected()
    lab.simulator.setPowered(false)
    try lab.pass()
    lab.client.forget()
    #expect(try lab.client.ask("Connect", .device) == Self.ioError)
    try lab.pass(.seconds(60))
    #expect(lab.client.take() == [Self.ioError])
  }

  @Test("Disconnect cancels a pending Connect and succeeds")
  func canceling() throws {
    let lab = try Lab.discovered()
    lab.simulator.vanish(.monitor)
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(try lab.client.ask("Disconnect", .device) == "Disconnect replied")
    #expect(lab.client.take() == [Self.canceled, "Disconnect replied"])
    lab.simulator.appear(.monitor)
    try lab.pass(.seconds(60))
    #expect(lab.client.take() == [])
    #expect(try lab.client.ask("Connect", .device) == "Connect replied")
  }

  @Test("RemoveDevice during a pending Connect removes the device and leaves Connect unanswered")
  func removing() throws {
    let lab = try Lab.discovered()
    lab.simulator.vanish(.monitor)
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(1))
    try lab.client.call("RemoveDevice", .adapter, [.objectPath(Target.device.path)])
    try lab.pass(.seconds(99))
    #expect(
      lab.client.take() == [
        "DEV removed Properties Introspectable Device1", "RemoveDevice replied",
      ]
    )
  }

  @Test("while a client discovers, Connect works, and discovery continues without this device")
  func discovering() throws {
    let lab = try Lab()
    try lab.client.call("SetDiscoveryFilter", .adapter, [.properties(["RSSI": .int16(-100)])])
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.milliseconds(60))
    lab.client.forget()
    try lab.client.begin("Connect", .device)
    try lab.pass(.seconds(2))
    #expect(lab.client.lines.prefix(2) == ["DEV Device1 Connected=true", "Connect replied"])
    #expect(lab.client.lines.contains { $0.contains("RSSI") } == false)
    #expect(try lab.client.property("Discovering", .adapter) == .boolean(true))
    lab.simulator.loseLink(.monitor)
    lab.client.forget()
    try lab.pass(.milliseconds(150))
    #expect(lab.client.take().last == "DEV Device1 RSSI=-50")
  }

  @Test(
    "a failure while a link is being made is announced",
    arguments: [
      (
        FaultRule(on: .connect, action: .loseLinkBefore),
        ["DEV Device1 Connected=true", "DEV Device1 Connected=false", canceled]
      ),
      (
        FaultRule(on: .discover, action: .loseLinkBefore),
        ["DEV Device1 Connected=true", "Connect replied", "DEV Device1 Connected=false"]
      ),
      // If discovery is refused, ServicesResolved is still set, with no services.
      (
        FaultRule(on: .discover, action: OperationFault.refuse(.insufficientResources)),
        ["DEV Device1 Connected=true", "Connect replied", "DEV Device1 ServicesResolved=true"]
      ),
    ]
  )
  func faults(fault: FaultRule, announced: [String]) throws {
    let lab = try Lab.discovered(faults: [fault])
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == announced)
  }
}
