// Controlling a running simulation over the bus, as clients of org.bluez observe it.

import BLETesting
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Foundation
import Signals
import SimulatedDevices
import Testing

@Suite("Control over the bus")
struct ControlTests {
  @Test(
    "a dropped connection looks like a lost link; without a connection the error gives a remedy"
  )
  func dropLink() throws {
    let control = try ControlLab()
    try control.lab.connect()
    try control.steer("DropLink", .string("lab hrm"))
    try control.lab.pass()
    #expect(
      control.lab.client.take().contains { $0.contains("ServicesResolved=false Connected=false") }
    )
    let refusal = try control.refusal("DropLink", .string("Lab HRM"))
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.NotConnected")
    #expect(refusal.message.contains("expected one that a client has connected"))
  }

  @Test("a vanished device is unreachable until it appears")
  func vanish() throws {
    let control = try ControlLab()
    try control.lab.connect()
    try control.steer("Vanish", .string("C0:FF:EE:00:00:01"))
    try control.lab.pass()
    #expect(try control.lab.client.ask("Connect", .device).contains("failed"))
    try control.steer("Appear", .string("C0:FF:EE:00:00:01"))
    #expect(try control.lab.client.ask("Connect", .device) == "Connect replied")
  }

  @Test("a moved device is received with its new RSSI, which changes steadily")
  func move() throws {
    let control = try ControlLab()
    try control.lab.discover()
    try control.steer("Move", .string("Lab HRM"), .int16(-90), .uint32(0))
    try control.lab.client.call("StartDiscovery", .adapter)
    try control.lab.pass(.seconds(1))
    #expect(try control.lab.client.property("RSSI", .device)?.asInt16 == -90)
    try control.steer("Move", .string("Lab HRM"), .int16(-30), .uint32(10_000))
    try control.lab.pass(.seconds(5))
    let halfway = try #require(try control.lab.client.property("RSSI", .device)?.asInt16)
    #expect((-70 ... -52).contains(halfway))
    try control.lab.pass(.seconds(10))
    #expect(try control.lab.client.property("RSSI", .device)?.asInt16 ?? 0 > -39)
    let refusal = try control.refusal("Move", .string("Lab HRM"), .int16(99), .uint32(0))
    #expect(refusal.message == "invalid RSSI 99: expected -127 to 20 dBm")
  }

  @Test("a changed value is read and notified; a moving value stays fixed until it is released")
  func setValue() throws {
    let control = try ControlLab()
    let name = DBusValue.string("Lab HRM")
    let (level, measured) = (DBusValue.string("battery-level"), DBusValue.string("2a37"))
    try control.lab.connect()
    #expect(try control.steer("GetValue", name, level) == [.bytes([87])])
    try control.steer("SetValue", name, level, .bytes([5]))
    #expect(try control.lab.client.call("ReadValue", .battery, .noOptions).get() == [.bytes([5])])
    try control.lab.client.call("StartNotify", .heartRate)
    control.lab.client.forget()
    try control.steer("SetValue", name, measured, .bytes([200]))
    try control.lab.pass(.milliseconds(1500))
    let values = control.lab.client.messages.compactMap { signal in
      signal.body.count > 1 ? signal.body[1].asPropertyMap?["Value"]?.asBytes : nil
    }
    #expect(values == [[200], [200]])
    try control.steer("ReleaseValue", name, level)
    #expect(try control.steer("GetValue", name, level) == [.bytes([87])])
  }

  @Test("the names in a device file are accepted wherever an attribute is named")
  func deviceNames() throws {
    let names = AttributeNames([
      try AttributeName("charge", BluetoothUUID(short: 0x2a19)),
      try AttributeName("cell", BluetoothUUID(short: 0x180f)),
    ])
    let control = try ControlLab([.monitor.changing { $0.names = names }])
    let (name, charge) = (DBusValue.string("Lab HRM"), DBusValue.string("charge"))
    try control.steer("SetValue", name, charge, .bytes([5]))
    #expect(try control.steer("GetValue", name, .string("battery-level")) == [.bytes([5])])
    try control.steer(
      "AddFault",
      name,
      .string("{ on: read, characteristic: cell/charge, nth: 1, do: lose-link }")
    )
    try control.steer("Offer", name, .string("cell"), .boolean(false))
  }

  @Test("a characteristic is found by the address and UUID in the log")
  func findCharacteristic() throws {
    let control = try ControlLab()
    let (name, level) = (DBusValue.string("lab hrm"), DBusValue.string("battery-level"))
    try control.steer("SetValue", name, level, .bytes([5]))
    let log = control.lab.world.log
    let entry = try #require(log.first { $0.event == "Simulator1.SetValue" })
    #expect(
      try control.steer("FindCharacteristic", name, level) == [
        .string(entry.device.map { "\($0)" } ?? ""), .string(entry.attribute?.text ?? ""),
      ]
    )
  }

  @Test("a removed service disappears with its objects")
  func offer() throws {
    let control = try ControlLab()
    try control.lab.connect()
    try control.steer("Offer", .string("Lab HRM"), .string("battery"), .boolean(false))
    try control.lab.pass()
    #expect(control.lab.client.take().contains { $0.contains("removed") })
    let refusal = try control.refusal(
      "Offer",
      .string("Lab HRM"),
      .string("glucose"),
      .boolean(true)
    )
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.UnknownService")
    #expect(refusal.message.contains("expected heart-rate, battery"))
  }

  @Test("the adapter can be powered off, unplugged, and plugged in with another index")
  func adapter() throws {
    let control = try ControlLab()
    try control.steer("SetPowered", .string(""), .boolean(false))
    try control.lab.pass()
    #expect(try control.lab.client.property("Powered", .adapter)?.asBool == false)
    try control.steer("Unplug", .string("hci0"))
    let refusal = try control.refusal("SetPowered", .string(""), .boolean(true))
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.NoAdapter")
    try control.steer("PlugIn", .string("simulated"), .int32(3))
    try control.lab.pass()
    #expect(try control.lab.client.objects().contains { $0.path == "/org/bluez/hci3" })
  }

  @Test("an adapter is named by its path element, name or address; other names are refused")
  func adapterNames() throws {
    let control = try ControlLab()
    for name in ["hci0", "simulated", "00:00:5E:00:53:00", ""] {
      try control.steer("SetPowered", .string(name), .boolean(false))
      try control.lab.pass()
      #expect(try control.lab.client.property("Powered", .adapter)?.asBool == false)
      try control.steer("SetPowered", .string(name), .boolean(true))
      try control.lab.pass()
    }
    let refusal = try control.refusal("Unplug", .string("hci1"))
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.UnknownAdapter")
    #expect(refusal.message.contains("expected one of hci0"))
    let listed = try control.steer("ListAdapters")
    #expect("\(listed)".contains("hci0") && "\(listed)".contains("00:00:5E:00:53:00"))
  }

  @Test("a device follows a path, walks, strays, and then moves as its file says again")
  func moving() throws {
    let control = try ControlLab()
    let name = DBusValue.string("Lab HRM")
    func rssi() -> Int { control.lab.device.linkRSSI() }
    try control.steer("Stray", name, .uint16(0))
    let rows = try [(UInt32(0), Int16(-50)), (10_000, -90)].map { time, rssi in
      try DBusValue.structure(DBusStructure([.uint32(time), .int16(rssi)]))
    }
    let points = try DBusValue.array(of: "(un)", rows)
    try control.steer("MoveAlong", name, points, .boolean(false))
    try control.lab.pass(.seconds(5))
    #expect(rssi() == -70)
    try control.steer("Walk", name, .int16(-45), .int16(-40), .uint16(60), .uint32(100))
    try control.lab.pass(.seconds(60))
    #expect((-45...(-40)).contains(rssi()))
    try control.steer("MoveAsDefined", name)
    #expect(abs(rssi() - control.lab.device.definition.advertisement.rssi) <= 4)
    let late = try DBusValue.array(of: "(un)", Array(rows.dropFirst()))
    for refusal in [
      try control.refusal("MoveAlong", name, late, .boolean(false)),
      try control.refusal("Walk", name, .int16(-40), .int16(-45), .uint16(6), .uint32(1000)),
      try control.refusal("Stray", name, .uint16(61)),
    ] {
      #expect(refusal.name.rawValue == "blerun.Simulator1.Error.InvalidValue")
      #expect(refusal.message.contains("expected"))
    }
  }

  @Test("a changed advertisement is received; other keys stay; an RSSI stops a movement")
  func advertise() throws {
    let control = try ControlLab()
    let name = DBusValue.string("Lab HRM")
    let services = control.lab.device.advertised().services
    try control.steer("Move", name, .int16(-30), .uint32(0))
    let change = "{ rssi: -70, rssi-spread: 0, manufacturer-data: { 0x1234: '0a 0b' } }"
    try control.steer("Advertise", name, .string(change))
    var received = control.lab.device.advertisement()
    #expect(received.rssi == -70)
    #expect(received.manufacturerData == [ManufacturerData(company: 0x1234, octets: [10, 11])])
    #expect(received.services == services && received.name == "Lab HRM")
    try control.steer("Advertise", name, .string("{ manufacturer-data: { 0x1234: '0c' } }"))
    received = control.lab.device.advertisement()
    #expect(received.rssi == -70)
    #expect(received.manufacturerData == [ManufacturerData(company: 0x1234, octets: [12])])
    try control.lab.client.call("StartDiscovery", .adapter)
    try control.lab.pass(.seconds(2))
    #expect(try control.lab.client.property("RSSI", .device)?.asInt16 == -70)
    let refusal = try control.refusal("Advertise", name, .string("{ rsi: -70 }"))
    #expect(refusal.name.rawValue == "blerun.Simulator1.Error.InvalidAdvertisement")
    #expect(refusal.message.contains("did you mean 'rssi'?"))
  }

  @Test("a device that refuses connections is still found, and connects when it accepts again")
  func connectable() throws {
    let control = try ControlLab()
    try control.lab.discover()
    try control.steer("Advertise", .string("Lab HRM"), .string("{ connectable: false }"))
    #expect(try control.lab.client.ask("Connect", .device).contains("failed"))
    try control.steer("Advertise", .string("Lab HRM"), .string("{ connectable: true }"))
    #expect(try control.lab.client.ask("Connect", .device) == "Connect replied")
  }

  @Test("a restarted daemon has a new owner and keeps connected devices; the log continues")
  func restart() throws {
    let control = try ControlLab()
    let person = control.person
    try control.lab.connect()
    let before = try control.lab.loop.run { try await person.nameOwner(OrgBlueZ.busName) }
    let began = control.lab.loop.now
    try control.steer("Restart", .uint32(3000))
    #expect(control.lab.loop.now - began >= .seconds(3))
    let after = try control.lab.loop.run { try await person.nameOwner(OrgBlueZ.busName) }
    #expect(after != nil && after != before)
    let client = try control.lab.join()
    #expect(try client.ask("Connect", .device) == "Connect replied")
    let log = try control.log()
    #expect(log.filter { $0.contains("link-up") }.count == 2)
    #expect(log.contains { $0.hasSuffix("Simulator1.Restart") })
    try control.steer("DropLink", .string("Lab HRM"))
  }

  @Test("an added fault hits the next operation, and clearing removes all faults")
  func faults() throws {
    let control = try ControlLab()
    try control.lab.connect()
    let rule = "{ on: read, characteristic: battery-level, do: refuse 0x0e }"
    try control.steer("AddFault", .string("Lab HRM"), .string(rule))
    #expect(try control.lab.client.ask("ReadValue", .battery, .noOptions).contains("0x0e"))
    try control.steer("ClearFaults", .string("Lab HRM"))
    #expect(try control.lab.client.ask("ReadValue", .battery, .noOptions).contains("replied"))
    let named = "{ fault: att-error, on: read, error: 0x0e, nth: 1 }"
    try control.steer("AddFault", .string("Lab HRM"), .string(named))
    #expect(try control.lab.client.ask("ReadValue", .battery, .noOptions).contains("0x0e"))
    #expect(try control.lab.client.ask("ReadValue", .battery, .noOptions).contains("replied"))
    let wrong = try control.refusal(
      "AddFault",
      .string("Lab HRM"),
      .string("{ on: raed, do: vanish }")
    )
    #expect(wrong.name.rawValue == "blerun.Simulator1.Error.InvalidFault")
    #expect(wrong.message.contains("did you mean 'read'"))
  }

  @Test("the error for an unknown name lists the known or nearest names")
  func names() throws {
    let control = try ControlLab([.monitor, .beacon(2)])
    let device = try control.refusal("Vanish", .string("Lab HRN"))
    #expect(device.name.rawValue == "blerun.Simulator1.Error.UnknownDevice")
    #expect(device.message.contains("did you mean 'Lab HRM'?"))
    let other = try control.refusal("Vanish", .string("something else"))
    #expect(other.message.hasSuffix("expected Lab HRM, Beacon 2"))
    let value = try control.refusal("GetValue", .string("Beacon 2"), .string("batery-level"))
    #expect(value.name.rawValue == "blerun.Simulator1.Error.UnknownCharacteristic")
    #expect(value.message.contains("battery-level"))
    let found = try control.refusal("FindCharacteristic", .string("Beacon 2"), .string("2a37"))
    #expect(found.name.rawValue == "blerun.Simulator1.Error.UnknownCharacteristic")
    let long = DBusValue.bytes([UInt8](repeating: 0, count: 513))
    let large = try control.refusal(
      "SetValue",
      .string("Lab HRM"),
      .string("battery-level"),
      long
    )
    #expect(large.message == "the value has 513 bytes: expected at most 512")
  }

  @Test("the devices are listed with their connections")
  func list() throws {
    let control = try ControlLab([.monitor, .beacon(2)])
    try control.lab.connect()
    let rows = try control.steer("ListDevices")[0].asArray?.compactMap(\.asStructure) ?? []
    #expect(
      rows == [
        [.string("C0:FF:EE:00:00:01"), .string("Lab HRM"), .boolean(true)],
        [.string("C0:FF:EE:00:00:02"), .string("Beacon 2"), .boolean(false)],
      ]
    )
  }

  @Test("introspection describes every method and the signal")
  func introspection() throws {
    let control = try ControlLab()
    let person = control.person
    let call = try MethodCall(
      destination: ControlNames.bus, path: ControlNames.path,
      interface: "org.freedesktop.DBus.Introspectable", member: "Introspect"
    )
    let text = try control.lab.loop.run { try await person.call(call).body[0].asString ?? "" }
    for name in ["DropLink", "Move", "SetValue", "SetPowered", "Restart", "ReadLog"] {
      #expect(text.contains("<method name=\"\(name)\">"))
    }
    #expect(text.contains("<signal name=\"Logged\">"))
  }

  @Test("docs/simulator-control.md lists every method; UPDATE_GENERATED=1 writes the table")
  func documentation() throws {
    let page = URL(filePath: projectFolder).appending(path: "docs/simulator-control.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let (begin, end) = ("<!-- table methods -->\n", "<!-- end -->")
    let parts = text.components(separatedBy: begin)
    try #require(parts.count == 2)
    let rest = try #require(parts[1].range(of: end))
    let made = parts[0] + begin + "\n" + ControlServer.table + "\n" + parts[1][rest.lowerBound...]
    if ProcessInfo.processInfo.environment["UPDATE_GENERATED"] != nil {
      try made.write(to: page, atomically: true, encoding: .utf8)
    }
    #expect(made == text, "the table differs from the rows of ControlVerb")
  }
}
