// The objects: which exist, their properties, and their introspection data.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Object tree")
struct TreeTests {
  /// The methods of the standard interfaces.
  private static let own = ["Introspect", "Get", "Set", "GetAll"]

  @Test(
    "initially the agent manager and the adapter exist, and objects with properties have Properties"
  )
  func start() throws {
    let lab = try Lab()
    let objects = try lab.client.objects()
    #expect(objects.map(\.path) == ["/org/bluez", "hci0"])
    #expect(
      objects[0].interfaces.map(\.name) == [
        "Introspectable", "AgentManager1", "ProfileManager1", "HealthManager1",
      ])
    #expect(
      objects[1].interfaces.map(\.name) == [
        "Introspectable", "Adapter1", "Properties", "GattManager1", "Media1", "NetworkServer1",
        "LEAdvertisingManager1",
      ]
    )
    #expect(objects.allSatisfy { $0["Introspectable"] == [:] })
    #expect(objects[1]["Properties"] == [:])
  }

  @Test("the adapter has the properties that clients read")
  func adapter() throws {
    let lab = try Lab()
    let adapter = try #require(try lab.client.objects().last?["Adapter1"])
    #expect(
      adapter.names == [
        "Address", "AddressType", "Name", "Alias", "Class", "Powered", "Discoverable",
        "DiscoverableTimeout", "Pairable", "PairableTimeout", "Discovering", "UUIDs", "Modalias",
        "Roles",
      ]
    )
    #expect(adapter["Powered"] == .boolean(true))
    #expect(adapter["Discovering"] == .boolean(false))
    #expect(adapter["DiscoverableTimeout"] == .uint32(180))
    #expect(adapter["Roles"]?.asStrings?.contains("central") == true)
    #expect(BluetoothAddress(adapter["Address"]?.asString ?? "") != nil)
  }

  @Test("a connected device has all its attributes below it, the newest sibling first")
  func connected() throws {
    let lab = try Lab.connected([.small])
    let objects = try lab.client.objects()
    #expect(
      objects.map(\.path) == [
        "/org/bluez", "hci0", "DEV", "DEV/service000a", "DEV/service000a/char000b",
        "DEV/service000a/char000b/desc000d", "DEV/service0006", "DEV/service0006/char0007",
        "DEV/service0006/char0007/desc0009",
      ]
    )
    #expect(
      objects[2].interfaces.map(\.name) == ["Introspectable", "Device1", "Properties", "Battery1"]
    )
    #expect(objects[2]["Battery1"] == ["Percentage": .byte(87)])
  }

  @Test("services, characteristics and descriptors have bluetoothd's properties for their kind")
  func attributes() throws {
    let lab = try Lab.connected()
    let objects = try lab.client.objects()
    func properties(_ path: String, _ interface: String) throws -> PropertyMap {
      try #require(objects.first { $0.path == path }?[interface])
    }
    #expect(
      try properties("DEV/service000a", "GattService1") == [
        "UUID": .string("0000180d-0000-1000-8000-00805f9b34fb"),
        "Device": .objectPath(Target.device.path), "Primary": .boolean(true),
        "Includes": .objectPaths([]),
      ]
    )
    #expect(
      try properties("DEV/service0016/char0017", "GattCharacteristic1") == [
        "UUID": .string("6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"),
        "Service": .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service0016"),
        "Value": .bytes([]), "Notifying": .boolean(false),
        "Flags": .strings(["read", "write-without-response", "write", "notify"]),
        "WriteAcquired": .boolean(false), "NotifyAcquired": .boolean(false), "MTU": .uint16(517),
      ]
    )
    func names(_ end: String) throws -> [String] {
      Array(try properties("DEV/\(end)", "GattCharacteristic1").names.dropFirst(2))
    }
    #expect(try names("service000a/char000e") == ["Value", "Flags", "MTU"])
    #expect(try names("service0016/char001d") == ["Value", "Notifying", "Flags", "MTU"])
    #expect(try names("service0016/char0020") == ["Value", "Flags", "WriteAcquired", "MTU"])
    #expect(
      try properties("DEV/service0016/char0017/desc001a", "GattDescriptor1") == [
        "UUID": .string("00002901-0000-1000-8000-00805f9b34fb"),
        "Characteristic": .objectPath(Target.echo.path), "Value": .bytes([]),
      ]
    )
  }

  @Test("without a link there is no MTU and no Battery1")
  func disconnected() throws {
    let lab = try Lab.connected()
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let objects = try lab.client.objects()
    #expect(objects.first { $0.path == "DEV" }?["Battery1"] == nil)
    let names = objects.first { $0.path == "DEV/service000a/char000e" }?["GattCharacteristic1"]?
      .names
    #expect(names == ["UUID", "Service", "Value", "Flags"])
  }

  @Test("the Generic Access service is not exported, but is among the device's UUIDs")
  func hidden() throws {
    let lab = try Lab.connected()
    let objects = try lab.client.objects()
    #expect(objects.contains { $0.path == "DEV/service0001" } == false)
    let uuids = try lab.client.property("UUIDs", .device)?.asStrings
    #expect(uuids?.first == "00001800-0000-1000-8000-00805f9b34fb")
    #expect(uuids == uuids?.sorted())
  }

  // MARK: Introspect

  /// The values of an attribute of the XML's elements.
  private func names(_ element: String, in document: String) -> [String] {
    document.split(separator: "<\(element) name=\"").dropFirst().compactMap { rest in
      rest.split(separator: "\"").first.map(String.init)
    }
  }

  private func introspect(_ client: RawClient, _ path: ObjectPath) throws -> String {
    let target = Target(path, "org.freedesktop.DBus.Introspectable")
    return try #require(try client.call("Introspect", target).get().first?.asString)
  }

  @Test("Introspect describes method arguments and property access")
  func document() throws {
    let lab = try Lab.connected()
    let adapter = try introspect(lab.client, Target.adapter.path)
    #expect(
      adapter.contains("<property name=\"Powered\" type=\"b\" access=\"readwrite\"></property>")
    )
    #expect(
      adapter.contains("<property name=\"Discovering\" type=\"b\" access=\"read\"></property>")
    )
    #expect(adapter.contains("<arg name=\"properties\" type=\"a{sv}\" direction=\"in\"/>"))
    let device = try introspect(lab.client, Target.device.path)
    #expect(
      names("method", in: device).filter { !Self.own.contains($0) }.sorted() == [
        "CancelPairing", "Connect", "ConnectProfile", "Disconnect", "DisconnectProfile", "Pair",
      ]
    )
    let characteristic = try introspect(lab.client, Target.echo.path)
    #expect(
      names("method", in: characteristic).filter { !Self.own.contains($0) }.sorted() == [
        "AcquireNotify", "AcquireWrite", "ReadValue", "StartNotify", "StopNotify", "WriteValue",
      ]
    )
    #expect(characteristic.contains("<arg name=\"fd\" type=\"h\" direction=\"out\"/>"))
  }
}
