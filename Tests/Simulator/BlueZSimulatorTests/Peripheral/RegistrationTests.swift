// Replies to programs that register applications and advertisements, with the errors
// recorded from bluetoothd 5.66.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Peripheral registrations")
struct RegistrationTests {
  private typealias Program = PeripheralProgram

  private static let noObjects = "Failed: No object received"
  private static let noServices = "Failed: No valid service object found"
  private static let noEntry = "Failed: Failed to create entry in database"

  /// Objects, and the error; nil: the registration is accepted.
  private static let applications: [(String, Program.Objects, String?)] = [
    ("nothing", [], noObjects),
    ("another interface", [("/a/x", "org.example.X", [:])], noServices),
    ("a service", Program.service(), nil),
    ("a short UUID", Program.service(["UUID": .string("180f")]), nil),
    ("a UUID with 0x", Program.service(["UUID": .string("0x180f")]), nil),
    ("a UUID of 32 bits", Program.service(["UUID": .string("0000180f")]), nil),
    ("no UUID", [("/a/s", GattService1.interface, ["Primary": .boolean(true)])], noEntry),
    ("no Primary", [("/a/s", GattService1.interface, ["UUID": .string("180f")])], noEntry),
    ("a wrong UUID", Program.service(["UUID": .string("hello")]), noEntry),
    ("a UUID that is a number", Program.service(["UUID": .uint32(3)]), noEntry),
    ("Generic Access", Program.service(["UUID": .string("1800")]), noEntry),
    ("Generic Attribute", Program.service(["UUID": .string("1801")]), noEntry),
    ("Includes of texts", Program.service(["Includes": .strings(["x"])]), noEntry),
    ("Includes of nothing", Program.service(["Includes": .objectPaths(["/a/none"])]), nil),
    (
      "Includes",
      Program.service(["Includes": .objectPaths(["/a/t"])])
        + [("/a/t", GattService1.interface, ["UUID": .string("180f"), "Primary": .boolean(true)])],
      nil
    ),
    ("a handle that is no handle", Program.service(["Handle": .uint32(0)]), noEntry),
    ("a handle", Program.service(["Handle": .uint16(0x40)]), nil),
    ("a handle in use", Program.service(["Handle": .uint16(1)]), noEntry),
    ("a characteristic alone", Program.characteristic("c", 1, ["read"]), noServices),
    (
      "a characteristic before its service",
      Program.characteristic("c", 1, ["read"]) + Program.service(), nil
    ),
    ("no flags", Program.service() + Program.characteristic("c", 1, []), noServices),
    ("a wrong flag", Program.service() + Program.characteristic("c", 1, ["fly"]), noServices),
    (
      "a characteristic with a wrong UUID",
      Program.service() + Program.characteristic("c", 1, ["read"], ["UUID": .string("x")]), noEntry
    ),
    (
      "a descriptor of nothing", Program.service() + Program.descriptor("d", of: "c", ["read"]),
      noServices
    ),
    (
      "a flag of characteristics at a descriptor",
      Program.service() + Program.characteristic("c", 1, ["read"])
        + Program.descriptor("d", of: "c", ["notify"]), noServices
    ),
    (
      "a configuration of its own",
      Program.service() + Program.characteristic("c", 1, ["read", "notify"])
        + Program.descriptor("d", of: "c", ["read", "write"], ["UUID": .string("2902")]), nil
    ),
  ]

  @Test(
    "an application is accepted or refused with bluetoothd's error",
    arguments: applications.indices
  )
  func application(index: Int) throws {
    let (name, objects, error) = Self.applications[index]
    let answer = try PeripheralLab(objects).register()
    let expected = error.map { "failed org.bluez.Error.\($0)" } ?? "replied"
    #expect(answer == "RegisterApplication " + expected, "\(name)")
  }

  @Test("an application is registered once per program and root until it is unregistered")
  func twice() throws {
    let room = try PeripheralLab(Program.service())
    #expect(try room.unregister().hasSuffix("DoesNotExist: Does Not Exist"))
    #expect(try room.register() == "RegisterApplication replied")
    #expect(try room.register().hasSuffix("AlreadyExists: Already Exists"))
    #expect(try room.unregister("/b").hasSuffix("DoesNotExist: Does Not Exist"))
    #expect(try room.unregister() == "UnregisterApplication replied")
    #expect(try room.register() == "RegisterApplication replied")
  }

  @Test(
    "handles count up from bluetoothd's own, are set if a property exists, and are never reused"
  )
  func handles() throws {
    let any: PropertyMap = ["Handle": .uint16(0)]
    let room = try PeripheralLab(
      Program.service(any) + Program.characteristic("c", 1, ["read", "notify"], any)
        + Program.descriptor("d", of: "c", ["read"], any)
    )
    func set(_ service: Int, _ characteristic: Int, _ descriptor: Int) -> [String] {
      [
        "/a GetManagedObjects", "s Set \"org.bluez.GattService1\" \"Handle\" <\(service)>",
        "s/c Set \"org.bluez.GattCharacteristic1\" \"Handle\" <\(characteristic)>",
        "s/c/d Set \"org.bluez.GattDescriptor1\" \"Handle\" <\(descriptor)>",
      ]
    }
    _ = try room.register()
    #expect(room.calls() == set(0x15, 0x17, 0x19))
    _ = try room.unregister()
    _ = try room.register()
    #expect(room.calls() == set(0x1a, 0x1c, 0x1e))
  }

  @Test("the adapter lists the programs' services after Generic Attribute and Generic Access")
  func listed() throws {
    let room = try PeripheralLab(Program.service(["UUID": .string("180d")]))
    let adapter = Target("/org/bluez/hci1", Adapter1.interface)
    func services() throws -> [UInt16?] {
      let texts = try room.lab.client.property("UUIDs", adapter)?.asStrings ?? []
      return texts.map { BluetoothUUID($0)?.short }
    }
    let own = try services()
    _ = try room.register()
    #expect(try services() == [0x1801, 0x1800, 0x180d] + own.dropFirst(2))
    room.program.client.leave()
    try room.lab.pass()
    #expect(try services() == own)
  }

  private static let notParsed = "Failed: Failed to parse advertisement."
  private static let notRegistered = "Failed: Failed to register advertisement"

  private static func data(_ count: Int) -> DBusValue { .bytes(Array(repeating: 0, count: count)) }

  private static func company(_ value: DBusValue) -> DBusValue {
    (try? .dictionary(key: "q", value: "v", [(.uint16(0xffff), .variant(of: value))])) ?? value
  }

  private static func of(_ uuid: String, _ value: DBusValue) -> DBusValue {
    .properties(PropertyMap([(uuid, value)]))
  }

  /// The properties beside the type, and the error; nil: it is accepted.
  private static let advertisements: [(PropertyMap, String?)] = [
    ([:], nil), (["Type": .string("broadcast")], nil), (["Type": .string("fly")], notParsed),
    (["ServiceUUIDs": .strings(["180d", "0000180f-0000-1000-8000-00805f9b34fb"])], nil),
    (["ServiceUUIDs": .strings(["hello"])], notParsed),
    (["ServiceUUIDs": .string("180d")], notParsed),
    (
      ["ServiceUUIDs": .strings([PeripheralProgram.uuid(1), PeripheralProgram.uuid(2)])],
      notRegistered
    ),
    (["ManufacturerData": company(data(27))], nil),
    (["ManufacturerData": company(data(28))], notParsed),
    (["ManufacturerData": company(.string("x"))], notParsed),
    (["ManufacturerData": company(data(23)), "ServiceUUIDs": .strings(["180d"])], nil),
    (["ManufacturerData": company(data(24)), "ServiceUUIDs": .strings(["180d"])], notRegistered),
    (["ServiceData": of("180f", data(27))], nil),
    (["ServiceData": of("180f", data(28))], notParsed),
    (["ServiceData": of(PeripheralProgram.uuid(1), data(13))], nil),
    (["ServiceData": of(PeripheralProgram.uuid(1), data(14))], notParsed),
    (["ServiceData": of("q", data(1))], notParsed),
    (["LocalName": .string("Pump")], nil),
    (["LocalName": .string(String(repeating: "N", count: 40))], nil),
    (["LocalName": .string("Pump"), "Includes": .strings(["local-name"])], notParsed),
    (["Includes": .strings(["local-name", "rainbow"])], nil),
    (["Includes": .strings(["tx-power"])], nil),
    (["Includes": .strings(["tx-power"]), "ManufacturerData": company(data(27))], notRegistered),
    (["Includes": .strings(["appearance"])], notRegistered), (["Appearance": .uint16(0x340)], nil),
    (["Appearance": .uint16(0x340), "Includes": .strings(["appearance"])], notParsed),
    (["Discoverable": .boolean(true), "ManufacturerData": company(data(24))], nil),
    (["Discoverable": .boolean(true), "ManufacturerData": company(data(27))], notRegistered),
    (["Type": .string("broadcast"), "Discoverable": .boolean(true)], notParsed),
    (["Type": .string("broadcast"), "Discoverable": .boolean(false)], nil),
    (
      [
        "Discoverable": .boolean(true), "DiscoverableTimeout": .uint16(5), "Timeout": .uint16(2),
      ],
      notParsed
    ),
    (["SecondaryChannel": .string("1M")], notParsed), (["Duration": .uint16(2)], nil),
    (["Duration": .uint32(2)], notParsed),
  ]

  @Test(
    "an advertisement is accepted or refused with bluetoothd's error",
    arguments: advertisements.indices
  )
  func advertisement(index: Int) throws {
    let (more, error) = Self.advertisements[index]
    var properties: PropertyMap = ["Type": .string("peripheral")]
    for (name, value) in more.entries { properties[name] = value }
    let answer = try PeripheralLab(Program.advertisement(properties)).advertise()
    let expected = error.map { "failed org.bluez.Error.\($0)" } ?? "replied"
    #expect(answer == "RegisterAdvertisement " + expected, "\(more)")
  }

  @Test("at most five advertisements are active, and both instance counts are announced")
  func limit() throws {
    let room = try PeripheralLab(
      (0...6).map { ("/v\($0)", LEAdvertisement1.interface, ["Type": .string("peripheral")]) }
    )
    #expect(try room.advertise("/v0") == "RegisterAdvertisement replied")
    #expect(
      room.lab.client.take()
        == ["/org/bluez/hci1 LEAdvertisingManager1 SupportedInstances=4 ActiveInstances=1"]
    )
    #expect(try room.advertise("/v0").hasSuffix("AlreadyExists: Already Exists"))
    for number in 1...4 {
      _ = try room.advertise(ObjectPath(stringLiteral: "/v\(number)"))
    }
    #expect(try room.advertise("/v5").hasSuffix("NotPermitted: Maximum advertisements reached"))
    room.lab.client.forget()
    room.program.client.leave()
    try room.lab.pass()
    #expect(
      room.lab.client.take()
        == ["/org/bluez/hci1 LEAdvertisingManager1 SupportedInstances=5 ActiveInstances=0"]
    )
  }

  @Test("an advertisement is released after its timeout")
  func timeout() throws {
    let room = try PeripheralLab(
      Program.advertisement(["Type": .string("peripheral"), "Timeout": .uint16(3)])
    )
    _ = try room.advertise()
    _ = room.calls()
    try room.lab.pass(.seconds(2))
    #expect(room.calls() == [])
    try room.lab.pass(.seconds(2))
    #expect(room.calls() == ["/v Release"])
    #expect(try room.advertise() == "RegisterAdvertisement replied")
  }

  @Test("an adapter that is off refuses advertisements")
  func off() throws {
    let room = try PeripheralLab(Program.advertisement(Program.pump))
    room.lab.simulator.setPowered(false, adapter: 1)
    #expect(try room.advertise().hasSuffix(Self.notRegistered))
  }
}
