// The cost of a simulated chain: connect, read and disconnect, with the simulated org.bluez on an
// in-memory bus in virtual time.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

struct SimulatedChains {
  static let count = 1000

  /// The processor time of all chains, in seconds.
  let processorSeconds: Double
  /// The virtual time of all chains.
  let virtualTime: Duration

  var line: String {
    "\(Self.count) simulated chains (connect, read, disconnect): "
      + "\(decimal(processorSeconds)) s of CPU, \(virtualTime) of virtual time"
  }

  static func measured() throws -> SimulatedChains {
    let loop = VirtualTimeLoop()
    let (service, simulator) = try world(on: loop)
    defer { withExtendedLifetime(simulator) {} }
    let selector = CharacteristicSelector(characteristic: batteryLevel)
    let start = loop.now
    let before = processorTime()
    for _ in 0..<count {
      let outcome = service.connect()
        .flattenMap { service.read(selector) }
        .flattenMap { value in service.disconnect().map { value } }
        .firstOrDefault([], within: .seconds(60))
      guard outcome.value == [87] else {
        throw SerialReads.Failure(
          description: "a simulated chain failed: \(String(describing: outcome.error))"
        )
      }
    }
    return SimulatedChains(
      processorSeconds: (processorTime() - before) / 1e9, virtualTime: loop.now - start
    )
  }

  private static let batteryLevel = BluetoothUUID(short: 0x2a19)

  /// Creates a client, and a simulator with one device that has one characteristic.
  static func world(on loop: VirtualTimeLoop) throws -> (BlueZDevice, BlueZSimulator) {
    guard let address = BluetoothAddress("C0:FF:EE:00:00:01") else {
      throw SerialReads.Failure(description: "an address could not be made")
    }
    let level = CharacteristicDefinition(
      uuid: batteryLevel, properties: [.read], behaviour: .constant([87])
    )
    let definition = DeviceDefinition(
      name: "Benchmark", address: address,
      services: [
        ServiceDefinition(uuid: BluetoothUUID(short: 0x180f), characteristics: [level])
      ]
    )
    let device = SimulatedDevice(
      definition, on: loop, generator: SeededGenerator(seed: 0, name: "device")
    )
    let bus = LoopbackBus(on: loop)
    let simulator = BlueZSimulator(bus: try bus.connect(), devices: [device])
    let ours = try bus.connect()
    let client = try loop.run {
      try await simulator.start()
      return try await BlueZClient.open(bus: ours)
    }
    let scheduler = SerialScheduler(on: loop)
    return (BlueZDevice(client: client, target: .address(address), scheduler: scheduler), simulator)
  }
}
