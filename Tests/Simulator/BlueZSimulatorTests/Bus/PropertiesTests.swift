// Properties.Get, GetAll and Set on every kind of object.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Properties")
struct PropertiesTests {
  private static let bus = "org.freedesktop.DBus.Error"

  // MARK: Set

  @Test("a change is announced before the reply to the Set that made it")
  func order() throws {
    let lab = try Lab.discovered()
    try lab.client.set("Trusted", .boolean(true), .device)
    #expect(lab.client.take() == ["DEV Device1 Trusted=true", "Set replied"])
    try lab.client.set("Alias", .string("Kitchen"), .device)
    #expect(lab.client.take() == ["DEV Device1 Alias=\"Kitchen\"", "Set replied"])
  }

  @Test("pending changes are announced before any reply, even one to another client")
  func beforeAnswers() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try other.begin("GetDiscoveryFilters", .adapter)
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let lines = other.lines
    let change = lines.firstIndex { $0.contains("Connected=false") }
    let answer = lines.firstIndex { $0.hasPrefix("GetDiscoveryFilters replied") }
    #expect(try #require(change) < #require(answer))
  }

  @Test("setting a property to its current value replies and announces nothing")
  func unchanged() throws {
    let lab = try Lab.discovered()
    #expect(try lab.client.set("Trusted", .boolean(false), .device) == "Set replied")
    #expect(try lab.client.set("Powered", .boolean(true), .adapter) == "Set replied")
    #expect(try lab.client.set("Discoverable", .boolean(false), .adapter) == "Set replied")
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == Array(repeating: "Set replied", count: 3))
  }

  @Test("an empty alias resets the alias to the name")
  func alias() throws {
    let lab = try Lab.discovered()
    for target in [Target.device, .adapter] {
      let name = try lab.client.property("Name", target)
      try lab.client.set("Alias", .string("Other"), target)
      #expect(try lab.client.property("Alias", target) == .string("Other"))
      try lab.client.set("Alias", .string(""), target)
      #expect(try lab.client.property("Alias", target) == name)
    }
  }

  @Test(
    "a read-only property cannot be set",
    arguments: ["Address", "Name", "Connected", "Paired", "Bonded", "RSSI", "ServicesResolved"]
  )
  func readOnly(name: String) throws {
    let lab = try Lab()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(1))
    #expect(
      try lab.client.set(name, .boolean(true), .device)
        == "Set failed \(Self.bus).PropertyReadOnly: Property '\(name)' is not writable"
    )
  }

  @Test("a property that does not exist or is absent now cannot be set")
  func absentSet() throws {
    let lab = try Lab.discovered()
    for name in ["Bogus", "RSSI"] {
      #expect(
        try lab.client.set(name, .int16(1), .device)
          == "Set failed \(Self.bus).UnknownProperty: No such property '\(name)'"
      )
    }
  }

  // MARK: Get

  @Test("a property that does not exist or is absent now cannot be read")
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

  @Test("GetAll returns what GetManagedObjects lists, for each interface of each object")
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
}
