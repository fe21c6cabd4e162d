// A program on one adapter as a device of another adapter: what was recorded from bluetoothd 5.66
// with two controllers.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Glibc
import Signals
import SimulatedDevices
import Testing

@Suite("Peripherals")
struct PeripheralTests {
  private typealias Program = PeripheralProgram

  private static let options =
    "{\"device\": </org/bluez/hci1/dev_00_00_5E_00_53_00>, \"link\": <\"LE\">, \"mtu\": <517>}"

  /// A service with one characteristic, and the advertisement.
  private func room(
    _ flags: [String], _ more: PropertyMap = [:], faults: [FaultRule] = []
  ) throws -> PeripheralLab {
    let room = try PeripheralLab(
      Program.service() + Program.characteristic("c", 1, flags, more)
        + Program.descriptor("d", of: "c", ["read", "write"]) + Program.advertisement(Program.pump),
      faults: faults
    )
    try room.connect()
    return room
  }

  @Test("a peripheral is discovered with its advertised data for as long as it advertises")
  func discovered() throws {
    let room = try PeripheralLab(Program.advertisement(Program.pump))
    let client = room.lab.client
    try client.call("StartDiscovery", .adapter)
    try room.lab.pass(.seconds(3))
    #expect(try client.objects().allSatisfy { $0["Device1"] == nil })
    _ = try room.advertise()
    try room.lab.pass(.seconds(3))
    let device = try client.objects().first { $0["Device1"] != nil }
    #expect(device?.path == "hci0/dev_00_00_5E_00_53_77")
    #expect(device?["Device1"]?["Name"] == .string("Pump"))
    #expect(device?["Device1"]?["AddressType"] == .string("public"))
    #expect(device?["Device1"]?["Appearance"] == .uint16(0x340))
    #expect(device?["Device1"]?["UUIDs"] == .strings(["0000180d-0000-1000-8000-00805f9b34fb"]))
    room.program.client.leave()
    try room.lab.pass(.seconds(40))
    #expect(try client.objects().allSatisfy { $0["Device1"] == nil })
  }

  @Test("a change of the advertised data is received")
  func changed() throws {
    let room = try room(["read"])
    try room.lab.client.call("Disconnect", PeripheralLab.peripheral)
    try room.program.change("/v", "LocalName", to: .string("Fan"), of: LEAdvertisement1.interface)
    try room.lab.client.call("StartDiscovery", .adapter)
    try room.lab.pass(.seconds(3))
    #expect(try room.lab.client.property("Name", PeripheralLab.peripheral) == .string("Fan"))
  }

  @Test(
    "both sides of a connection report it, and either side can end it", arguments: [true, false])
  func disconnected(byCentral: Bool) throws {
    let room = try room(["read"])
    let (near, far) = (PeripheralLab.peripheral, PeripheralLab.central)
    #expect(try room.connected(near) == true)
    #expect(try room.connected(far) == true)
    #expect(try room.lab.client.property("ServicesResolved", far) == .boolean(true))
    #expect(try room.lab.client.property("Name", far) == .string("simulated"))
    try room.lab.client.call("Disconnect", byCentral ? near : far)
    #expect(try room.connected(near) == false)
    #expect(try room.connected(far) == false)
    #expect(try room.lab.client.ask("Connect", near) == "Connect replied")
    #expect(try room.connected(far) == true)
  }

  @Test("reads and writes are calls to the program, with the central's path and the offset")
  func requests() throws {
    let room = try room(["read", "write"])
    let (client, target) = (room.lab.client, try room.characteristic(1))
    room.program.answer("s/c", "ReadValue", .values([.bytes([1, 2])]))
    #expect(try client.ask("ReadValue", target, .noOptions) == "ReadValue replied 0x0102")
    #expect(room.calls() == ["s/c ReadValue \(Self.options)"])
    let offset: PropertyMap = ["offset": .uint16(5)]
    #expect(
      try client.ask("ReadValue", target, [.properties(offset)]) == "ReadValue replied 0x0102"
    )
    #expect(room.calls().first?.contains("\"offset\": <5>") == true)
    #expect(try client.ask("WriteValue", target, .write([7])) == "WriteValue replied")
    #expect(room.calls() == ["s/c WriteValue 0x07 \(Self.options)"])
    let long = Array(repeating: UInt8(1), count: 511)
    #expect(try client.ask("WriteValue", target, .write(long)).hasSuffix("Invalid Length"))
    #expect(room.calls() == [])
    let descriptor = Target(
      ObjectPath(stringLiteral: target.path.text + "/desc0018"), GattDescriptor1.interface
    )
    room.program.answer("s/c/d", "ReadValue", .values([.bytes([9])]))
    #expect(try client.ask("ReadValue", descriptor, .noOptions) == "ReadValue replied 0x09")
    #expect(try client.ask("WriteValue", descriptor, .write([8])) == "WriteValue replied")
    #expect(
      room.calls() == ["s/c/d ReadValue \(Self.options)", "s/c/d WriteValue 0x08 \(Self.options)"]
    )
  }

  @Test("if a characteristic permits writes without response, no write waits for the program")
  func commands() throws {
    let room = try room(["write", "write-without-response"])
    room.program.answer("s/c", "WriteValue", .error("org.bluez.Error.NotPermitted", ""))
    #expect(
      try room.lab.client.ask("WriteValue", room.characteristic(1), .write([7]))
        == "WriteValue replied"
    )
    try room.lab.pass()
    #expect(room.calls() == ["s/c WriteValue 0x07 \(Self.options)"])
  }

  /// An error of the program, and the error that the central receives.
  private static let errors: [(String, String, String)] = [
    ("Failed", "x", "Failed: Operation failed with ATT error: 0x80"),
    ("Failed", "", "Failed: Operation failed with ATT error: 0x0e"),
    ("Failed", "0x85", "Failed: Operation failed with ATT error: 0x85"),
    ("Failed", "133", "Failed: Operation failed with ATT error: 0x85"),
    ("Failed", "0x10", "Failed: Operation failed with ATT error: 0x0e"),
    ("NotSupported", "", "NotSupported: Operation is not supported"),
    ("NotAuthorized", "", "NotAuthorized: Operation Not Authorized"),
    ("InvalidValueLength", "", "InvalidArguments: Invalid Length"),
    ("InvalidOffset", "", "InvalidArguments: Invalid offset"),
    ("InProgress", "", "Failed: Operation failed with ATT error: 0xfe"),
    ("NotPermitted", "", "NotPermitted: Read not permitted"),
    ("InvalidArguments", "", "Failed: Operation failed with ATT error: 0x0e"),
  ]

  @Test("the program's error becomes an ATT error, in the wording of the central's bluetoothd")
  func refusals() throws {
    let room = try room(["read"])
    let target = try room.characteristic(1)
    for (name, text, expected) in Self.errors {
      room.program.answer("s/c", "ReadValue", .error("org.bluez.Error.\(name)", text))
      #expect(
        try room.lab.client.ask("ReadValue", target, .noOptions)
          == "ReadValue failed org.bluez.Error.\(expected)"
      )
    }
  }

  @Test("a program that does not answer within five seconds fails the request, not the connection")
  func silence() throws {
    let room = try room(["read"])
    room.program.answer("s/c", "ReadValue", .silence)
    let before = room.lab.loop.now
    #expect(
      try room.lab.client.ask("ReadValue", room.characteristic(1), .noOptions)
        .hasSuffix("ATT error: 0x0e")
    )
    let elapsed = room.lab.loop.now - before
    #expect(elapsed >= .seconds(5) && elapsed < .seconds(6))
    #expect(try room.connected(PeripheralLab.peripheral) == true)
  }

  @Test("an unexpected answer from the program is treated as not supported")
  func wrongAnswer() throws {
    let room = try room(["read"])
    room.program.answer("s/c", "ReadValue", .values([.string("x")]))
    #expect(
      try room.lab.client.ask("ReadValue", room.characteristic(1), .noOptions)
        == "ReadValue failed org.bluez.Error.NotSupported: Operation is not supported"
    )
  }

  @Test(
    "announced values are notified to subscribers, and confirmed when indicated",
    arguments: ["notify", "indicate"]
  )
  func sends(flag: String) throws {
    let room = try room([flag])
    let (client, target) = (room.lab.client, try room.characteristic(1))
    let name = Line.short(target.path.text)
    func announce(_ value: DBusValue?) throws {
      let interface = GattCharacteristic1.interface
      try room.program.change("/a/s/c", "Value", to: value, of: interface)
      try room.lab.pass(.milliseconds(100))
    }
    try announce(.bytes([1]))
    #expect(try client.ask("StartNotify", target) == "StartNotify replied")
    #expect(room.calls() == ["s/c StartNotify"])
    client.forget()
    try announce(.bytes([2]))
    try announce(nil)
    #expect(
      client.take() == [
        "\(name) GattCharacteristic1 Value=0x02", "\(name) GattCharacteristic1 Value=0x",
      ]
    )
    let confirmations = flag == "indicate" ? ["s/c Confirm", "s/c Confirm"] : []
    #expect(room.calls() == confirmations)
    try client.call("StopNotify", target)
    try announce(.bytes([3]))
    #expect(room.calls() == ["s/c StopNotify"])
  }

  @Test("a subscription ends with the connection")
  func subscriptionEnds() throws {
    let room = try room(["notify"])
    try room.lab.client.call("StartNotify", room.characteristic(1))
    _ = room.calls()
    room.lab.simulator.loseLink(PeripheralLab.second)
    try room.lab.pass()
    #expect(room.calls() == ["s/c StopNotify"])
    #expect(try room.connected(PeripheralLab.central) == false)
  }

  @Test("a departed program's services disappear, and new ones appear, while connected")
  func services() throws {
    let room = try room(["read"])
    func uuids() throws -> [String] {
      try room.lab.client.objects().compactMap { object in
        object.path.hasPrefix("hci0/dev") ? object["GattService1"]?["UUID"]?.asString : nil
      }
    }
    let service = Program.uuid(0)
    #expect(try uuids().contains(service))
    room.lab.client.forget()
    _ = try room.unregister()
    let lines = room.lab.client.take().filter { $0.hasPrefix("hci0") }
    #expect(lines.last?.contains("Device1 UUIDs=") == true)
    #expect(lines.last?.contains(service) == false)
    #expect(try !uuids().contains(service))
    _ = try room.register()
    #expect(try uuids().contains(service))
    room.program.client.leave()
    try room.lab.pass()
    #expect(try !uuids().contains(service))
    #expect(try room.connected(PeripheralLab.peripheral) == true)
  }

  @Test("removing one service removes nothing else of the program")
  func removed() throws {
    let room = try room(["read"])
    func isThere() throws -> Bool {
      let objects = try room.lab.client.objects()
      return objects.contains { $0["GattService1"]?["UUID"]?.asString == Program.uuid(0) }
    }
    try room.program.remove("/a/s/c", GattCharacteristic1.interface)
    try room.lab.pass()
    #expect(try isThere())
    try room.program.remove("/a/s", GattService1.interface)
    try room.lab.pass()
    #expect(try !isThere())
    #expect(try room.connected(PeripheralLab.peripheral) == true)
    #expect(try room.unregister() == "UnregisterApplication replied")
  }

  @Test("a request to a program that exits meanwhile fails")
  func dies() throws {
    let room = try room(["read"])
    room.program.answer("s/c", "ReadValue", .silence)
    try room.lab.client.begin("ReadValue", room.characteristic(1), .noOptions)
    try room.lab.pass(.milliseconds(100))
    room.program.client.leave()
    try room.lab.pass()
    #expect(room.lab.client.lines.contains { $0.hasSuffix("ATT error: 0x0e") })
  }

  @Test("a protected characteristic can be read after the two adapters are paired")
  func protected() throws {
    let room = try room(["encrypt-read"])
    let client = room.lab.client
    let paths = [PeripheralLab.peripheral, PeripheralLab.central]
    room.program.answer("s/c", "ReadValue", .values([.bytes([1])]))
    let agent = try room.lab.join()
    try agent.call("RegisterAgent", .agents, [.objectPath("/agent"), .string("NoInputNoOutput")])
    #expect(try agent.ask("Pair", PeripheralLab.peripheral) == "Pair replied")
    for path in paths { #expect(try client.property("Paired", path) == .boolean(true)) }
    #expect(
      try client.ask("ReadValue", room.characteristic(1), .noOptions) == "ReadValue replied 0x01"
    )
    #expect(room.calls().map { $0.prefix(13) } == ["s/c ReadValue"])
  }

  @Test(
    "an adapter that is powered off or unplugged disappears as a device", arguments: [true, false]
  )
  func adapterGone(isPulledOut: Bool) throws {
    let room = try room(["read"])
    if isPulledOut {
      room.lab.simulator.unplug(adapter: 1)
    } else {
      room.lab.simulator.setPowered(false, adapter: 1)
    }
    try room.lab.pass()
    #expect(try room.connected(PeripheralLab.peripheral) == false)
    #expect(try room.lab.client.ask("Connect", PeripheralLab.peripheral).contains("abort-by-local"))
    #expect(room.calls() == (isPulledOut ? ["/v Release"] : []))
  }

  @Test("a program that leaves or joins does not affect another program's subscriptions")
  func neighbours() throws {
    let room = try room(["notify"])
    let target = try room.characteristic(1)
    try room.lab.client.call("StartNotify", target)
    let other = try PeripheralProgram(on: room.lab, Program.service(["UUID": .string("180d")]))
    let register: [DBusValue] = [.objectPath("/a"), .properties([:])]
    try other.client.call("RegisterApplication", PeripheralLab.gattManager, register)
    other.client.leave()
    try room.lab.pass()
    room.lab.client.forget()
    try room.program.change("/a/s/c", "Value", to: .bytes([1]), of: GattCharacteristic1.interface)
    try room.lab.pass()
    let name = Line.short(target.path.text)
    #expect(room.lab.client.take() == ["\(name) GattCharacteristic1 Value=0x01"])
  }

  @Test("several advertisements take turns")
  func turns() throws {
    let room = try PeripheralLab(
      ["Pump", "Fan"].map { name in
        let properties: PropertyMap = ["Type": .string("peripheral"), "LocalName": .string(name)]
        return ("/\(name)", LEAdvertisement1.interface, properties)
      }
    )
    for path: ObjectPath in ["/Pump", "/Fan"] { _ = try room.advertise(path) }
    try room.lab.client.call("StartDiscovery", .adapter)
    try room.lab.pass(.seconds(10))
    let names = room.lab.client.lines.filter { $0.contains(" Name=") }
    #expect(names.contains { $0.contains("Pump") } && names.contains { $0.contains("Fan") })
  }

  // MARK: Sockets

  /// The program's end of a socket, whose other end is the answer to a call.
  private func socket(_ room: PeripheralLab, _ member: String) throws -> UnixFD {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    let other = UnixFD(owning: ends[1])
    room.program.answer("s/c", member, .values([.unixFD(other), .uint16(517)]))
    return UnixFD(owning: ends[0])
  }

  private func packet(_ socket: UnixFD) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 600)
    let count = recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : Array(buffer.prefix(count))
  }

  @Test("a program that offers a write socket is asked for it once, and receives writes through it")
  func acquiredWrites() throws {
    let room = try room(["write-without-response"], ["WriteAcquired": .boolean(false)])
    let own = try socket(room, "AcquireWrite")
    let target = try room.characteristic(1)
    for value: UInt8 in [1, 2] {
      #expect(
        try room.lab.client.ask("WriteValue", target, .write([value])) == "WriteValue replied"
      )
      try room.lab.pass(.milliseconds(100))
    }
    #expect(room.calls() == ["s/c AcquireWrite \(Self.options)"])
    #expect(packet(own) == [1])
    #expect(packet(own) == [2])
    #expect(packet(own) == nil)
  }

  @Test("a program that offers a socket and then refuses it receives writes as calls")
  func notAcquired() throws {
    let room = try room(["write-without-response"], ["WriteAcquired": .boolean(false)])
    room.program.answer("s/c", "AcquireWrite", .error("org.example.Error", ""))
    try room.lab.client.call("WriteValue", room.characteristic(1), .write([1]))
    try room.lab.pass(.milliseconds(100))
    #expect(
      room.calls() == [
        "s/c AcquireWrite \(Self.options)", "s/c WriteValue 0x01 \(Self.options)",
      ]
    )
  }

  @Test("values sent through the program's socket are notified while a client is subscribed")
  func acquiredNotifications() throws {
    let room = try room(["notify"], ["NotifyAcquired": .boolean(false)])
    let own = try socket(room, "AcquireNotify")
    let target = try room.characteristic(1)
    try room.lab.client.call("StartNotify", target)
    try room.lab.pass(.milliseconds(100))
    #expect(room.calls() == ["s/c AcquireNotify \(Self.options)"])
    room.lab.client.forget()
    #expect(send(own.descriptor, [7, 8] as [UInt8], 2, 0) == 2)
    try room.lab.pass(.milliseconds(100))
    #expect(
      room.lab.client.take() == [
        "\(Line.short(target.path.text)) GattCharacteristic1 Value=0x0708"
      ]
    )
    // The test's own reference to the other end.
    room.program.answer("s/c", "AcquireNotify", .silence)
    try room.lab.client.call("StopNotify", target)
    try room.lab.pass(.milliseconds(100))
    #expect(packet(own) == [])
    #expect(room.calls() == [])
  }

  // MARK: Faults

  @Test(
    "faults affect a peripheral like any device: refusals, delays, lost notifications and links"
  )
  func faults() throws {
    let refused = FaultRule(on: .read, action: .refuse(.valueNotAllowed))
    let room = try room(["read", "notify"], faults: [refused])
    let (client, target) = (room.lab.client, try room.characteristic(1))
    func fail(_ rule: FaultRule) {
      room.lab.simulator.apply(.rules([rule]), to: PeripheralLab.second)
    }
    #expect(try client.ask("ReadValue", target, .noOptions).hasSuffix("ATT error: 0x13"))
    #expect(room.calls() == [])
    room.program.answer("s/c", "ReadValue", .values([.bytes([1])]))
    fail(FaultRule(on: .read, action: .slow(.seconds(2))))
    let before = room.lab.loop.now
    #expect(try client.ask("ReadValue", target, .noOptions).hasPrefix("ReadValue replied"))
    #expect(room.lab.loop.now - before > .seconds(2))
    try client.call("StartNotify", target)
    room.lab.simulator.apply(.notifications(.lost), to: PeripheralLab.second)
    client.forget()
    try room.program.change("/a/s/c", "Value", to: .bytes([1]), of: GattCharacteristic1.interface)
    try room.lab.pass(.milliseconds(100))
    #expect(client.take() == [])
    fail(FaultRule(on: .read, action: .loseLinkAfter))
    #expect(try client.ask("ReadValue", target, .noOptions).hasSuffix("ATT error: 0x0e"))
    #expect(try room.connected(PeripheralLab.central) == false)
    fail(FaultRule(on: .connect, action: .refuseConnection))
    #expect(try client.ask("Connect", PeripheralLab.peripheral).contains("abort-by-local"))
  }
}
