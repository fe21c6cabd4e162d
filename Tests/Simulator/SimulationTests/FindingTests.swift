// Finding devices on the simulated org.bluez: filters, two scans at once, listening only.

import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Finding")
struct FindingTests {
  private func found(
    _ simulation: Simulation, _ filter: ScanFilter, for limit: Duration = .seconds(3)
  ) -> (seen: [Advertisement], error: (any Error)?) {
    let over = Signal.just(()).delay(limit)
    let outcome = simulation.service.scan(filter).takeUntil(over).collect()
      .firstOrDefault([], within: .seconds(30))
    return (outcome.value, outcome.error)
  }

  @Test("a device is sent again when something about it has changed, and only then")
  func live() throws {
    var definition = DeviceDefinition.thermometer
    definition.advertisement.rssiSpread = 3
    let simulation = try Simulation(definition: definition)
    let (seen, error) = found(simulation, ScanFilter(name: "Thermo*"))
    #expect(error == nil)
    #expect(seen.count > 3)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("a device received without changes is observed again with each report")
  func unchanged() throws {
    var definition = DeviceDefinition.thermometer
    definition.advertisement.rssiSpread = 0
    let simulation = try Simulation(definition: definition)
    let times = Guarded<[Instant]>([])
    let loop = simulation.loop
    simulation.service.client.observeSightings(of: .first) { _ in
      times.withLock { $0.append(loop.now) }
    }
    let (seen, error) = found(simulation, ScanFilter(), for: .seconds(25))
    #expect(error == nil && seen.count < 4)
    let last = try #require(times.withLock { $0.last })
    #expect(loop.now - last < .seconds(5), "last observed at \(last), of \(loop.now)")
  }

  @Test(
    "a filter finds devices with the advertised data, and no others",
    arguments: AddressType.allCases)
  func advertised(type: AddressType) throws {
    var definition = DeviceDefinition.thermometer
    definition.addressType = type
    definition.advertisement.manufacturerData = [
      ManufacturerData(company: 0x004c, octets: [0x02, 0x15])
    ]
    definition.advertisement.serviceData = [
      ServiceData(service: BluetoothUUID(short: 0xfeaa), octets: [0x00, 0x10])
    ]
    let simulation = try Simulation(definition: definition)
    let data = ScanFilter(
      manufacturer: ManufacturerPattern(company: 0x004c, prefix: [0x02]),
      serviceData: ServiceDataPattern(service: "feaa", prefix: [0x00])
    )
    for filter in [ScanFilter(address: definition.address), data] {
      #expect(found(simulation, filter).seen.first?.addressType == type)
    }
    let other = ScanFilter(manufacturer: ManufacturerPattern(company: 0x004c, prefix: [0x03]))
    let nothing = found(simulation, other)
    #expect(nothing.seen.isEmpty && nothing.error == nil, "finding no device is not a failure")
  }

  @Test("a connected device is found although it does not advertise")
  func connected() throws {
    let simulation = try Simulation()
    let service = simulation.service
    let outcome = service.connect().flattenMap { service.scan(ScanFilter()).take(1) }
      .map { Optional($0) }.firstOrDefault(nil, within: .seconds(30))
    #expect(outcome.value?.isConnected == true)
  }

  @Test("passive scanning finds devices without discovery, if bluetoothd offers it")
  func passive() throws {
    var settings = SimulatorSettings(version: .debian12)
    settings.offersMonitors = true
    let simulation = try Simulation(settings: settings)
    let (seen, error) = found(simulation, ScanFilter(name: "Thermo*", isPassive: true))
    #expect(error == nil)
    #expect(seen.first?.name == "Thermo-1")
    #expect(simulation.history.isEmpty)
    let again = found(simulation, ScanFilter(name: "Thermo*", isPassive: true))
    #expect(again.error == nil)
  }

  @Test("if bluetoothd does not offer passive scanning, the failure says so and gives a remedy")
  func passiveMissing() throws {
    let simulation = try Simulation()
    let failure = found(simulation, ScanFilter(isPassive: true)).error as? DeviceFailure
    #expect(failure?.code == .notSupported)
    #expect(failure?.hint.contains("--experimental") == true)
  }

  @Test(
    "the reason of a lost link is reported by the bluetoothd releases that know it",
    arguments: [66, 83])
  func reasons(minor: Int) throws {
    var settings = SimulatorSettings(version: .debian12)
    settings.version = BlueZVersion(5, minor)
    let simulation = try Simulation(settings: settings)
    let (service, simulator) = (simulation.service, simulation.simulator)
    let address = simulation.device.definition.address
    let outcome = service.connect().flattenMap { () -> Signal<Int> in
      simulation.loop.after(.seconds(1)) { simulator.loseLink(address) }
      return service.notifications(CharacteristicSelector(characteristic: .alertLevel)).map { _ in 1
      }
    }.firstOrDefault(0, within: .seconds(30))
    let failure = outcome.error as? DeviceFailure
    #expect(failure?.code == .linkLost)
    #expect(failure?.meaning.contains("the device stopped responding") == (minor == 83))
  }

  @Test("an adapter that is being powered on is waited for, if bluetoothd reports it")
  func turningOn() throws {
    var settings = SimulatorSettings(version: .debian12)
    settings.version = BlueZVersion(5, 73)
    settings.powerDelay = .seconds(2)
    let simulation = try Simulation(settings: settings)
    let bus = simulation.bus
    simulation.simulator.setPowered(false)
    try simulation.loop.run { try await simulation.loop.sleep(for: .seconds(1)) }
    let set = try MethodCall(
      destination: "org.bluez", path: "/org/bluez/hci0",
      interface: "org.freedesktop.DBus.Properties", member: "Set",
      body: [
        .string("org.bluez.Adapter1"), .string("Powered"), .variant(of: .boolean(true)),
      ]
    )
    let other = try simulation.loop.run { try bus.connect() }
    let switching = Signal<Void> { _ in _ = try await other.call(set, limit: .seconds(10)) }
      .observe(on: simulation.loop) { _ in }
    try simulation.loop.run { try await simulation.loop.sleep(for: .seconds(1)) }
    let service = simulation.service
    let outcome = service.connect().map { true }.firstOrDefault(false, within: .seconds(30))
    #expect(outcome.error == nil)
    withExtendedLifetime(switching) {}
  }
}
