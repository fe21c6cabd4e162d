// A device with a private address that changes, without a bond: bluetoothd keeps the object of the old address.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Devices with changing addresses")
struct ChangingAddressTests {
  private static let period = Duration.seconds(60)

  /// A device whose address changes each minute.
  private func simulation(_ kind: PrivateAddress.Kind = .resolvable) throws -> Simulation {
    var definition = DeviceDefinition.bench
    definition.advertisement.services = [.alert]
    definition.privateAddress = PrivateAddress(kind, every: Self.period)
    return try Simulation(definition: definition)
  }

  private func service(
    _ simulation: Simulation, _ target: DeviceTarget = .name("Bench")
  ) -> BlueZDevice {
    BlueZDevice(client: simulation.service.client, target: target, scheduler: simulation.scheduler)
  }

  /// Reads a value in a chain of its own.
  private func read(
    _ service: BlueZDevice, in simulation: Simulation, within limit: Duration = .seconds(100)
  ) -> Endured {
    simulation.endure(service.connect().flattenMap { service.read(.alert) }, within: limit)
  }

  @Test(
    "each later chain finds the device again, at each address",
    arguments: PrivateAddress.Kind.allCases,
    [DeviceTarget.name("Bench"), .name("Be*"), .service("immediate-alert"), .any]
  )
  func laterChains(kind: PrivateAddress.Kind, target: DeviceTarget) throws {
    let simulation = try simulation(kind)
    let service = service(simulation, target)
    for _ in 0..<4 {
      let chain = read(service, in: simulation)
      #expect(chain.error == nil && chain.took < .seconds(10), "\(chain)")
      try simulation.pass(Self.period)
    }
  }

  @Test("a program that starts later finds the device again")
  func laterProgram() throws {
    let simulation = try simulation()
    #expect(read(service(simulation), in: simulation).error == nil)
    try simulation.pass(Self.period)
    let bus = simulation.bus
    let client = try simulation.loop.run { try await BlueZClient.open(bus: try bus.connect()) }
    let later = BlueZDevice(client: client, target: .name("Bench"), scheduler: simulation.scheduler)
    let chain = read(later, in: simulation)
    #expect(chain.error == nil && chain.took < .seconds(10), "\(chain)")
  }

  @Test("an attempt that times out at the old address is followed by one at the new address")
  func laterAttempt() throws {
    let simulation = try simulation()
    let service = service(simulation)
    #expect(read(service, in: simulation).error == nil)
    // While another program scans, the old object keeps the RSSI that was received last.
    let other = try simulation.otherProgram(on: SerialScheduler(on: simulation.loop))
    let scan = other.scan(ScanFilter()).collect().observe { _ in }
    try simulation.pass(Self.period)
    let chain = read(service, in: simulation)
    #expect(chain.error == nil, "\(chain)")
    scan.cancel()
  }

  @Test("a subscription that resumes finds the new address")
  func resumes() throws {
    let simulation = try simulation()
    let (service, simulator, address) = (
      service(simulation), simulation.simulator, simulation.address
    )
    let options = SubscriptionOptions(onLinkLoss: .resume)
    simulation.loop.after(Self.period + .milliseconds(500)) { simulator.loseLink(address) }
    let chain = service.connect().flattenMap {
      service.subscribe(.stream, options).flattenMap { events in
        events.filter { $0.notification == nil }.take(1)
      }
    }
    let ended = simulation.endure(chain.map { _ in })
    #expect(ended.error == nil && ended.took < Self.period + .seconds(10), "\(ended)")
    #expect(simulation.history.count { $0.hasSuffix("link up") } == 2)
  }

  @Test("a requested address is used as given, and a public address does not change")
  func givenAddress() throws {
    let simulation = try simulation()
    let address = simulation.device.airAddress().address
    let given = service(simulation, .address(address))
    #expect(read(given, in: simulation).error == nil)
    try simulation.pass(Self.period)
    let chain = read(given, in: simulation)
    #expect(chain.failure != nil && chain.took > .seconds(30), "\(chain)")
  }

  @Test(
    "a device with a permanent address connects without a scan",
    arguments: AddressType.allCases
  )
  func lasting(type: AddressType) throws {
    var definition = DeviceDefinition.bench
    definition.addressType = type
    let simulation = try Simulation(definition: definition)
    let service = service(simulation)
    for _ in 0..<3 { #expect(read(service, in: simulation).error == nil) }
    #expect(simulation.history.count { $0 == "scanning on" } == 1)
  }

  @Test("a bonded device connects without a scan, whatever its current address")
  func bonded() throws {
    let simulation = try simulation()
    let service = service(simulation)
    let pairing = service.connect().flattenMap { service.pair(PairingAnswers()) }
    #expect(simulation.endure(pairing.map { _ in }).error == nil)
    let scans = simulation.history.count { $0 == "scanning on" }
    try simulation.pass(Self.period)
    #expect(read(service, in: simulation).error == nil)
    #expect(simulation.history.count { $0 == "scanning on" } == scans)
  }
}
