// Properties.Get, GetAll and Set on every kind of object, and calls to what is not there.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Properties and absent things")
struct PropertiesTests {
  private static let bus = "org.freedesktop.DBus.Error"

  private func set(
    _ name: String,
    _ value: DBusValue,
    _ target: Target,
    _ client: RawClient
  ) throws -> String {
    try client.ask("Set", target.properties, .set(name, value, of: target))
  }

  // MARK: Set

  @Test("a change is announced before the reply to the Set that made it")
  func order() throws {
    let lab = try Lab.discovered()
    _ = try set("Trusted", .boolean(true), .device, lab.client)
    #expect(lab.client.take() == ["DEV Device1 Trusted=true", "Set replied"])
    _ = try set("Alias", .string("Kitchen"), .device, lab.client)
    #expect(lab.client.take() == ["DEV Device1 Alias=\"Kitchen\"", "Set replied"])
  }

  @Test("a Set of the current value replies, and nothing is announced")
  func unchanged() throws {
    let lab = try Lab.discovered()
    #expect(try set("Trusted", .boolean(false), .device, lab.client) == "Set replied")
    #expect(try set("Powered", .boolean(true), .adapter, lab.client) == "Set replied")
    #expect(try set("Discoverable", .boolean(false), .adapter, lab.client) == "Set replied")
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == Array(repeating: "Set replied", count: 3))
  }

  @Test("an empty alias resets it to the name")
  func alias() throws {
    let lab = try Lab.discovered()
    for target in [Target.device, .adapter] {
      let name = try lab.client.property("Name", target)
      _ = try set("Alias", .string("Other"), target, lab.client)
      #expect(try lab.client.property("Alias", target) == .string("Other"))
      _ = try set("Alias", .string(""), target, lab.client)
      #expect(try lab.client.property("Alias", target) == name)
    }
  }

  @Test(
    "a property that is only read cannot be set",
    arguments: ["Address", "Name", "Connected", "Paired", "Bonded", "RSSI", "ServicesResolved"]
  )
  func readOnly(name: String) throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    #expect(
      try set(name, .boolean(true), .device, lab.client)
        == "Set failed \(Self.bus).PropertyReadOnly: Property '\(name)' is not writable"
    )
  }

  @Test("a value of another type is refused, and changes nothing")
  func wrongType() throws {
    let lab = try Lab.discovered()
    let cases: [(String, DBusValue, Target)] = [
      ("Trusted", .string("yes"), .device), ("Alias", .boolean(true), .device),
      ("Powered", .uint32(0), .adapter), ("DiscoverableTimeout", .uint16(1), .adapter),
    ]
    for (name, value, target) in cases {
      let before = try lab.client.property(name, target)
      #expect(
        try set(name, value, target, lab.client)
          == "Set failed \(Self.bus).InvalidSignature: Invalid signature for '\(name)'"
      )
      #expect(try lab.client.property(name, target) == before)
    }
  }

  @Test("a property that does not exist, or not now, cannot be set")
  func absentSet() throws {
    let lab = try Lab.discovered()
    for name in ["Bogus", "RSSI"] {
      #expect(
        try set(name, .int16(1), .device, lab.client)
          == "Set failed \(Self.bus).UnknownProperty: No such property '\(name)'"
      )
    }
  }

  // MARK: Get

  @Test("a property that does not exist, or not now, cannot be got")
  func absentGet() throws {
    let lab = try Lab.discovered()
    for name in ["Bogus", "RSSI", "TxPower", "Appearance"] {
      let body: [DBusValue] = [.string("org.bluez.Device1"), .string(name)]
      #expect(
        try lab.client.ask("Get", Target.device.properties, body)
          == "Get failed \(Self.bus).InvalidArgs: No such property '\(name)'"
      )
    }
  }

  @Test("GetAll gives what GetManagedObjects lists, for each interface of each object")
  func getAll() throws {
    let lab = try Lab.connected()
    let device = try #require(try lab.client.objects().first { $0.path == "DEV" })
    for (name, properties) in device.interfaces {
      let prefix =
        ["Introspectable", "Properties"].contains(name) ? "org.freedesktop.DBus." : "org.bluez."
      let body: [DBusValue] = [.string(prefix + name)]
      let all = try lab.client.call("GetAll", Target.device.properties, body).get()
      #expect(all == [.properties(properties)])
    }
  }

  @Test("an interface that the object does not have has no properties", arguments: [0, 1, 2])
  func noInterface(method: Int) throws {
    let lab = try Lab.discovered()
    let name = DBusValue.string("org.bluez.Battery1")
    let calls: [(String, [DBusValue])] = [
      ("Get", [name, .string("Percentage")]), ("GetAll", [name]),
      ("Set", [name, .string("Percentage"), .variant(of: .byte(1))]),
    ]
    let (member, body) = calls[method]
    #expect(
      try lab.client.ask(member, Target.device.properties, body)
        == "\(member) failed \(Self.bus).InvalidArgs: No such interface 'org.bluez.Battery1'"
    )
  }

  // MARK: What is not there

  private func absent(_ member: String, _ signature: String, _ interface: String) -> String {
    "Method \"\(member)\" with signature \"\(signature)\" on interface \"\(interface)\" "
      + "doesn't exist\n"
  }

  @Test("an unknown object: UnknownObject, with the text of libdbus")
  func unknownObject() throws {
    let lab = try Lab.connected()
    let target = Target.attribute("service0012/char0013ff")
    let text = absent("ReadValue", "a{sv}", target.interface)
    #expect(
      try lab.client.ask("ReadValue", target, .noOptions)
        == "ReadValue failed \(Self.bus).UnknownObject: \(text)"
    )
    #expect(
      try lab.client.ask("Get", target.properties, [.string("a.b"), .string("c")])
        == "Get failed \(Self.bus).UnknownObject: "
        + absent("Get", "ss", "org.freedesktop.DBus.Properties")
    )
  }

  @Test("an unknown method, interface or signature on an object: UnknownMethod, the same text")
  func unknownMethod() throws {
    let lab = try Lab.connected()
    let client = lab.client
    let path = Target.battery.path
    let unknown = Target(path, "org.bluez.Bogus1")
    let calls: [(String, Target, [DBusValue], String)] = [
      ("Bogus", .battery, [], ""), ("ReadValue", .battery, [], ""),
      ("WriteValue", .echo, [.properties([:])], "a{sv}"), ("ReadValue", unknown, [], ""),
      ("Connect", .device, [.string("x")], "s"), ("GetManagedObjects", .device, [], ""),
      ("RegisterProfile", Target("/org/bluez", "org.bluez.ProfileManager1"), [], ""),
    ]
    for (member, target, body, signature) in calls {
      let text = absent(member, signature, target.interface)
      #expect(
        try client.ask(member, target, body)
          == "\(member) failed \(Self.bus).UnknownMethod: \(text)"
      )
    }
  }
}
