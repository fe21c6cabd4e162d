// A program that acts as a peripheral: it exports objects, registers them, and writes down how
// bluetoothd calls them.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices

@testable import DBus

/// The objects of one client. Lines are as short as ``Line``'s: a path without its root `/a/`.
final class PeripheralProgram: ObjectHandler {
  typealias Objects = [(path: String, interface: String, properties: PropertyMap)]

  /// The answer to a call.
  enum Answer: Sendable {
    case values([DBusValue])
    case error(String, String)
    case silence
  }

  let client: RawClient
  let log = Recorded<String>()
  private let objects: Guarded<Objects>
  private let answers = Guarded<[String: Answer]>([:])
  private let export = Guarded<Export?>(nil)

  init(on lab: Lab, _ objects: Objects) throws {
    client = try RawClient(on: lab.bus, receiving: OrgBlueZ.busName)
    self.objects = Guarded(objects)
    let export = try client.connection.export(self)
    self.export.withLock { $0 = export }
  }

  /// Answers calls of a method of an object from now on.
  func answer(_ path: String, _ member: String, _ answer: Answer) {
    answers.withLock { $0["\(path) \(member)"] = answer }
  }

  func handle(_ call: Invocation) -> Bool {
    let message = call.message
    let (path, member) = (message.path?.text ?? "", message.member ?? "")
    let short = path.hasPrefix("/a/") ? String(path.dropFirst(3)) : path
    let arguments = message.body.map { $0.text }
    log.add(([short, member] + arguments).joined(separator: " "))
    let answer = answers.withLock { $0["\(short) \(member)"] }
    switch (answer, member) {
    case (.values(let body)?, _): call.reply(body)
    case (.error(let name, let text)?, _):
      call.fail(DBusError(name: DBusError.Name(rawValue: name), message: text))
    case (.silence?, _): break
    case (nil, "GetManagedObjects"): call.reply([listed])
    case (nil, "GetAll"):
      call.reply([.properties(objects.withLock { $0.first { $0.path == path }?.properties } ?? [:])]
      )
    case (nil, _): call.reply()
    }
    return true
  }

  private var listed: DBusValue {
    let objects = objects.withLock { $0 }
    do {
      return try .dictionary(
        key: "o", value: "a{sa{sv}}",
        objects.map { object in
          let interfaces = try DBusValue.dictionary(
            key: "s", value: "a{sv}",
            [(key: .string(object.interface), value: .properties(object.properties))]
          )
          return (key: .objectPath(ObjectPath(stringLiteral: object.path)), value: interfaces)
        }
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Announces that a property of an object has changed.
  func change(_ path: String, _ name: String, to value: DBusValue?, of interface: String) throws {
    let changed: PropertyMap = value.map { [name: $0] } ?? [:]
    try client.connection.send(
      Message.signal(
        path: ObjectPath(stringLiteral: path), interface: StandardInterface.properties,
        member: StandardInterface.propertiesChanged.name,
        body: [
          .string(interface), .properties(changed), .strings(value == nil ? [name] : []),
        ]
      )
    )
  }

  /// Announces that an object below the root has no interface any more.
  func remove(_ path: String, _ interface: String) throws {
    try client.connection.send(
      Message.signal(
        path: "/a", interface: StandardInterface.objectManager,
        member: StandardInterface.interfacesRemoved.name,
        body: [.objectPath(ObjectPath(stringLiteral: path)), .strings([interface])]
      )
    )
  }

  // MARK: Objects

  static let service = "/a/s"

  static func uuid(_ number: Int) -> String {
    "6e5d00\(number < 10 ? "0" : "")\(number)-1b1a-4e1c-8f6b-0b6c1d2e3f41"
  }

  static func service(_ more: PropertyMap = [:]) -> Objects {
    var properties: PropertyMap = ["UUID": .string(uuid(0)), "Primary": .boolean(true)]
    for (name, value) in more.entries { properties[name] = value }
    return [(service, GattService1.interface, properties)]
  }

  static func characteristic(
    _ name: String, _ number: Int, _ flags: [String], _ more: PropertyMap = [:]
  ) -> Objects {
    var properties: PropertyMap = [
      "UUID": .string(uuid(number)), "Service": .objectPath(ObjectPath(stringLiteral: service)),
      "Flags": .strings(flags),
    ]
    for (name, value) in more.entries { properties[name] = value }
    return [("\(service)/\(name)", GattCharacteristic1.interface, properties)]
  }

  static func descriptor(
    _ name: String, of characteristic: String, _ flags: [String], _ more: PropertyMap = [:]
  ) -> Objects {
    var properties: PropertyMap = [
      "UUID": .string("2901"),
      "Characteristic": .objectPath(ObjectPath(stringLiteral: "\(service)/\(characteristic)")),
      "Flags": .strings(flags),
    ]
    for (name, value) in more.entries { properties[name] = value }
    return [
      ("\(service)/\(characteristic)/\(name)", GattDescriptor1.interface, properties)
    ]
  }

  static func advertisement(_ properties: PropertyMap) -> Objects {
    [("/v", LEAdvertisement1.interface, properties)]
  }

  /// The properties of a pump that anybody can connect to.
  static let pump: PropertyMap = [
    "Type": .string("peripheral"), "LocalName": .string("Pump"),
    "ServiceUUIDs": .strings(["180d"]), "Appearance": .uint16(0x340),
  ]
}

/// Two adapters in one room: a program on the second, and its user on the first.
struct PeripheralLab {
  static let second = BluetoothAddress(number: 0x0000_5e00_5377)
  static let gattManager = Target("/org/bluez/hci1", GattManager1.interface)
  static let advertisingManager = Target("/org/bluez/hci1", LEAdvertisingManager1.interface)
  static let peripheral = Target("/org/bluez/hci0/dev_00_00_5E_00_53_77", Device1.interface)
  static let central = Target("/org/bluez/hci1/dev_00_00_5E_00_53_00", Device1.interface)

  let lab: Lab
  let program: PeripheralProgram

  init(_ objects: PeripheralProgram.Objects = [], faults: [FaultRule] = []) throws {
    var settings = SimulatorSettings(version: .debian12)
    var adapter = AdapterSettings(number: 1, address: Self.second, name: "pump")
    adapter.peripheral.faults = faults
    settings.adapters.append(adapter)
    lab = try Lab([], settings: settings)
    program = try PeripheralProgram(on: lab, objects)
  }

  func register(_ root: ObjectPath = "/a") throws -> String {
    try program.client.ask(
      "RegisterApplication",
      Self.gattManager,
      [.objectPath(root), .properties([:])]
    )
  }

  func unregister(_ root: ObjectPath = "/a") throws -> String {
    try program.client.ask("UnregisterApplication", Self.gattManager, [.objectPath(root)])
  }

  func advertise(_ path: ObjectPath = "/v") throws -> String {
    try program.client.ask(
      "RegisterAdvertisement",
      Self.advertisingManager,
      [.objectPath(path), .properties([:])]
    )
  }

  /// Registers everything, discovers and connects, until the services are resolved.
  func connect() throws {
    _ = try register()
    _ = try advertise()
    try lab.client.call("StartDiscovery", .adapter)
    try lab.pass(.seconds(3))
    try lab.client.call("StopDiscovery", .adapter)
    try lab.client.call("Connect", Self.peripheral)
    try lab.pass(.seconds(1))
    lab.client.forget()
    program.log.removeAll()
  }

  /// The calls from bluetoothd since this was last called.
  func calls() -> [String] {
    defer { program.log.removeAll() }
    return program.log.all
  }

  /// A characteristic of the program, as the central sees it.
  func characteristic(_ number: Int) throws -> Target {
    let uuid = PeripheralProgram.uuid(number)
    let found = try lab.client.objects().first { object in
      object.path.hasPrefix(Line.short(Self.peripheral.path.text))
        && object["GattCharacteristic1"]?["UUID"]?.asString == uuid
    }
    let path = ObjectPath(stringLiteral: "/org/bluez/\(found?.path ?? "none")")
    return Target(path, GattCharacteristic1.interface)
  }

  func connected(_ target: Target) throws -> Bool? {
    try lab.client.property("Connected", target)?.asBool
  }
}
