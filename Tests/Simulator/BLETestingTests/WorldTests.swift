// A simulated world in a test: its devices, its control, and its log.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Dispatch
import Signals
import SimulatedDevices
import Testing

@Suite("A simulated world")
struct WorldTests {
  static let thermometer = DeviceSource.file("../../../Simulators/devices/thermometer.yaml")
  static let text = DeviceSource.yaml(
    """
    name: Tag
    address: C0:FF:EE:00:00:44
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read, notify], value: { u8: 42 } }
    """
  )

  private func level(_ service: BlueZDevice) -> Outcome<Int> {
    service.session { service.read(.batteryLevel) }.firstOrDefault(-1, within: .seconds(60))
  }

  @Test("one line creates a world from a device file, whose device is read and disconnected")
  func file() throws {
    let world = try SimulatedWorld(Self.thermometer)
    let outcome = level(try world.service())
    #expect(outcome.value > 0 && outcome.success)
    let address = try world.device().definition.address
    #expect(world.events.contains(.linkUp(address)))
    #expect(world.events.last == .linkDown(address))
  }

  @Test("a world in real time can end while the loop frees a timer")
  func endsWithTimer() throws {
    let isLeft = DispatchSemaphore(value: 0)
    let loop = try {
      let world = try SimulatedWorld(Self.thermometer, time: .real)
      world.loop.post { isLeft.wait() }
      world.loop.after(.zero) { withExtendedLifetime(world) {} }
      return world.loop
    }()
    isLeft.signal()
    try loop.drive { loop.isShutDown }
  }

  /// A world with a program that is the peripheral Tag, as long as the export is held.
  private func peripheralWorld(seed: UInt64 = 0) throws -> (world: SimulatedWorld, export: Export) {
    var settings = SimulatorSettings()
    let address = BluetoothAddress(number: 0x0000_5e00_5377)
    settings.adapters.append(AdapterSettings(number: 1, address: address))
    let world = try SimulatedWorld(seed: seed, settings: settings)
    let bus = try world.connection()
    let server = ObjectServer(bus: bus)
    let export = try bus.export(server)
    func add(_ path: ObjectPath, _ interface: String, _ properties: PropertyMap) {
      let read = ExportedMethod(
        "ReadValue", takes: [.init("options", "a{sv}")], returns: [.init("value", "ay")]
      ) { $0.reply([.bytes([77])]) }
      let exported = properties.entries.map { name, value in
        ExportedProperty(name, value.signature) { value }
      }
      server.add([ExportedInterface(interface, methods: [read], properties: exported)], at: path)
    }
    add("/tag", "org.bluez.GattService1", ["UUID": .string("180f"), "Primary": .boolean(true)])
    add(
      "/tag/level",
      "org.bluez.GattCharacteristic1",
      ["UUID": .string("2a19"), "Service": .objectPath("/tag"), "Flags": .strings(["read"])]
    )
    add(
      "/advertised",
      "org.bluez.LEAdvertisement1",
      ["Type": .string("peripheral"), "LocalName": .string("Tag")]
    )
    for (interface, member, path) in [
      ("org.bluez.GattManager1", "RegisterApplication", ObjectPath("/")),
      ("org.bluez.LEAdvertisingManager1", "RegisterAdvertisement", "/advertised"),
    ] {
      let call = try MethodCall(
        destination: "org.bluez", path: "/org/bluez/hci1", interface: interface, member: member,
        body: [.objectPath(path), .properties([:])]
      )
      _ = try world.loop.run { try await bus.call(call, limit: .seconds(5)) }
    }
    return (world, export)
  }

  @Test("a program with its own connection is a peripheral that a service of the world can read")
  func peripheral() throws {
    let tag = try peripheralWorld()
    #expect(level(try tag.world.service("Tag")).value == 77)
    withExtendedLifetime(tag.export) {}
  }

  @Test("the RSSI of a program's peripheral is drawn from the world's seed")
  func peripheralSeed() throws {
    let drawn = try [UInt64(1), 1, 2].map { seed in
      let tag = try peripheralWorld(seed: seed)
      defer { withExtendedLifetime(tag.export) {} }
      let device = try tag.world.device("Tag")
      return (0..<20).map { _ in device.linkRSSI() }
    }
    #expect(drawn[0] == drawn[1] && drawn[0] != drawn[2])
  }

  @Test("devices from files, texts and Swift share one world, and are found by name or address")
  func several() throws {
    let beacon = DeviceDefinition(name: "Beacon", address: BluetoothAddress(number: 0xc0ffee))
    let world = try SimulatedWorld(Self.thermometer, Self.text, .definition(beacon))
    #expect(level(try world.service("tag")).value == 42)
    #expect(level(try world.service("C0:FF:EE:00:00:44")).value == 42)
    #expect(try world.device("beacon").definition == beacon)
    let error = try #require(throws: SteeringError.self) { try world.service("Tagg") }
    #expect(error.description.contains("did you mean 'Tag'?"))
  }

  @Test("two devices with one address are refused, and so is a file with an error")
  func wrong() throws {
    #expect(throws: WorldError.self) { try SimulatedWorld(Self.text, Self.text) }
    let error = try #require(throws: (any Error).self) { try SimulatedWorld(.yaml("nam: x")) }
    #expect("\(error)".contains("name"))
    #expect(throws: (any Error).self) { try SimulatedWorld(.file("no-such-file.yaml")) }
  }

  @Test("in real time, async code runs in the world, which is controlled from outside its loop")
  func real() async throws {
    let world = try SimulatedWorld(Self.text, time: .real, settings: .instant)
    let service = try world.service()
    try world.setValue([7], of: "battery-level")
    let level = try await service.session { service.read(.batteryLevel) }
      .first(within: .seconds(20))
    #expect(level == 7)
    #expect(world.log.contains { $0.event == "Device1.Connect" })
  }

  @Test("dropping a link ends its subscriptions")
  func dropLink() throws {
    let world = try SimulatedWorld(Self.text)
    let service = try world.service()
    world.loop.after(.seconds(5)) { try? world.dropLink() }
    let outcome = service.session { service.notifications(.init(characteristic: .batteryLevel)) }
      .map { _ in 1 }.firstOrDefault(0, within: .seconds(60))
    let failure = try #require(outcome.error as? DeviceFailure)
    #expect(failure.code == .linkLost)
    #expect(throws: SteeringError.self) { try world.dropLink() }
  }

  @Test("the log has each client request and its result")
  func log() throws {
    let world = try SimulatedWorld(Self.text)
    let service = try world.service()
    try world.addFault("{ on: read, do: refuse 0x0e }")
    let outcome = level(service)
    #expect(!outcome.success)
    let events = world.log.map(\.event)
    #expect(events.contains("GattCharacteristic1.ReadValue"))
    #expect(events.contains("read-refused-0x0e"))
    #expect(world.log.allSatisfy { $0.client.isEmpty || $0.client == world.client.bus.uniqueName })
  }

  @Test("faults added by the test affect every device, after the device's own faults")
  func faults() throws {
    let refused = FaultRule(on: .read, occurrence: .nth(1), action: .refuse(.unlikelyError))
    let world = try SimulatedWorld(Self.text, Self.thermometer, faults: [refused])
    for name in ["Tag", "Thermo-1"] {
      let service = try world.service(name)
      #expect(!level(service).success)
      #expect(level(service).success)
    }
  }

  @Test("a scenario affects its devices, and uses its own seed")
  func scenario() throws {
    let world = try SimulatedWorld(
      .file("../../../Simulators/scenarios/aborted-connects.yaml"), Self.text
    )
    let aborted = try world.service("Thermo-1", options: ConnectOptions())
    #expect(level(aborted).success)
    let attempts = world.log.filter { $0.event == "Device1.Connect" }
    let up = world.events.filter { if case .linkUp = $0 { true } else { false } }
    #expect(attempts.count > up.count)
  }

  @Test("a vanished device is not found until it appears; a restarted daemon serves again")
  func presence() throws {
    let world = try SimulatedWorld(Self.text)
    let service = try world.service()
    try world.vanish()
    #expect(!level(service).success)
    try world.appear()
    #expect(level(service).value == 42)
    try world.restart(after: .seconds(1))
    #expect(level(service).value == 42)
    try world.setPowered(false)
    try world.pass(.seconds(1))
    #expect(!level(service).success)
  }

  @Test("the same seed gives the same run, a different seed a different run")
  func seeds() throws {
    func strengths(_ seed: UInt64) throws -> [Int] {
      let world = try SimulatedWorld(Self.text, seed: seed)
      let service = try world.service()
      return (0..<8).map { _ in
        service.session { service.rssi() }.map(\.rssi).firstOrDefault(0, within: .seconds(20)).value
      }
    }
    #expect(try strengths(1) == strengths(1))
    #expect(try strengths(1) != strengths(2))
  }

  @Test("closing the bus fails pending calls, and a world can be ended twice")
  func end() throws {
    let world = try SimulatedWorld(Self.text)
    let service = try world.service()
    world.loop.after(.seconds(2)) { world.client.bus.close() }
    let outcome = service.session { service.notifications(.init(characteristic: .batteryLevel)) }
      .map { _ in 1 }.firstOrDefault(0, within: .seconds(60))
    #expect(!outcome.success)
    world.end()
    world.end()
    #expect(world.loop.isShutDown)
  }
}

extension BluetoothUUID {
  fileprivate static let batteryLevel = BluetoothUUID(short: 0x2a19)
}
