// Connecting to simulated devices whose connections fail at first, or that are of another kind.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Connecting in spite of faults")
struct ConnectFaultTests {
  private func connect(
    _ faults: [FaultRule],
    definition: DeviceDefinition = .thermometer,
    within limit: Duration = .seconds(60)
  ) throws -> (outcome: Outcome<Bool>, history: [String]) {
    let simulation = try Simulation(definition: definition, faults: faults)
    let service = simulation.service
    let outcome = service.connect().flattenMap { service.read(.batteryLevel) }.map { _ in true }
      .firstOrDefault(false, within: limit)
    return (outcome, simulation.history)
  }

  @Test(
    "a connection that fails once is made again, and its links are ended",
    arguments: [OperationFault.refuseConnection, .loseLinkBefore, .loseLinkAfter]
  )
  func once(action: OperationFault) throws {
    let run = try connect([FaultRule(on: .connect, occurrence: .nth(1), action: action)])
    #expect(run.outcome.error == nil)
    #expect(run.outcome.value)
    #expect(run.history.filter { $0.hasSuffix("link up") }.count >= 1)
    let (up, down) = (
      run.history.filter { $0.hasSuffix("link up") }.count,
      run.history.filter { $0.hasSuffix("link down") }.count
    )
    #expect(up == down)
  }

  @Test("services that cannot be read because the link falls are read over the next link")
  func discovery() throws {
    let fault = FaultRule(on: .discover, occurrence: .nth(1), action: .loseLinkBefore)
    let run = try connect([fault])
    #expect(run.outcome.error == nil)
    #expect(run.history.filter { $0.hasSuffix("link up") }.count == 2)
  }

  @Test("the deadline passes during a later attempt: the failure says what the first one met")
  func lastReason() throws {
    let run = try connect(
      [FaultRule(on: .connect, occurrence: .nth(1), action: .vanish)],
      within: .seconds(100)
    )
    let failure = try #require(run.outcome.error as? DeviceFailure)
    #expect(failure.code == .connectFailed)
    #expect(failure.bluez?.text == "le-connection-abort-by-local")
    #expect(failure.meaning.contains("attempts"))
  }

  @Test("a device that always refuses: the failure says how often it was tried")
  func always() throws {
    let run = try connect([FaultRule(on: .connect, action: .refuseConnection)])
    let failure = run.outcome.error as? DeviceFailure
    #expect(failure?.code == .connectFailed)
    #expect(failure?.class == .passing)
    #expect(failure?.meaning.contains("after 5 attempts") == true)
  }

  @Test("addresses of both kinds are found and connected", arguments: AddressType.allCases)
  func addresses(type: AddressType) throws {
    var definition = DeviceDefinition.thermometer
    definition.addressType = type
    let simulation = try Simulation(definition: definition)
    let service = simulation.service
    let filter = ScanFilter(address: definition.address)
    let found = service.scan(filter).map { Optional($0) }
      .firstOrDefault(nil, within: .seconds(10))
    #expect(found.value?.addressType == type)
    let outcome = service.connect().map { true }.firstOrDefault(false, within: .seconds(10))
    #expect(outcome.value)
  }

  @Test("what a filter asks of advertised data is heard from a device that has it")
  func advertisedData() throws {
    var definition = DeviceDefinition.thermometer
    definition.advertisement.manufacturerData = [
      ManufacturerData(company: 0x004c, octets: [0x02, 0x15])
    ]
    definition.advertisement.serviceData = [
      ServiceData(service: BluetoothUUID(short: 0xfeaa), octets: [0x00, 0x10])
    ]
    let simulation = try Simulation(definition: definition)
    let fitting = ScanFilter(
      manufacturer: ManufacturerPattern(company: 0x004c, prefix: [0x02]),
      serviceData: ServiceDataPattern(service: "feaa", prefix: [0x00])
    )
    let other = ScanFilter(manufacturer: ManufacturerPattern(company: 0x004c, prefix: [0x03]))
    func count(_ filter: ScanFilter) -> Int {
      let over = Signal.just(()).delay(.seconds(2))
      return simulation.service.scan(filter).takeUntil(over).collect()
        .firstOrDefault([], within: .seconds(10)).value.count
    }
    #expect(count(fitting) >= 1)
    #expect(count(other) == 0)
  }
}
