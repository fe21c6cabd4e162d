// Our client and the simulated org.bluez on one bus in memory.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

/// A client and a simulator with one device, on a loop.
struct Simulation {
  let loop: Loop
  let bus: LoopbackBus
  let simulator: BlueZSimulator
  let device: SimulatedDevice
  let scheduler: SerialScheduler
  let service: BlueZDeviceService
  /// What happened at the device.
  let events: Recorded<SimulatorEvent>

  /// - Parameter loop: Driven by this initializer until both parts stand.
  init(
    on loop: Loop = VirtualTimeLoop(),
    definition: DeviceDefinition = .thermometer,
    faults: [FaultRule] = [],
    settings: SimulatorSettings = SimulatorSettings(),
    seed: UInt64 = 0,
    log: LoopbackBus.Observer? = nil
  ) throws {
    self.loop = loop
    bus = LoopbackBus(on: loop, observer: log)
    let generator = SeededGenerator(seed: seed, name: "device")
    device = SimulatedDevice(definition, on: loop, generator: generator)
    device.setFaults(faults)
    let events = Recorded<SimulatorEvent>()
    self.events = events
    let simulator = BlueZSimulator(
      bus: try bus.connect(),
      devices: [device],
      settings: settings
    ) { events.add($0) }
    self.simulator = simulator
    let ours = try bus.connect()
    let client = try loop.run {
      try await simulator.start()
      return try await BlueZClient.open(bus: ours)
    }
    scheduler = SerialScheduler(on: loop)
    service = BlueZDeviceService(
      client: client,
      target: .address(definition.address),
      scheduler: scheduler
    )
  }

  /// The links and operations so far, in words.
  var history: [String] { events.all.map(\.description) }
}

/// What was told, in order.
final class Recorded<Element: Sendable>: Sendable {
  private let list = Guarded<[Element]>([])
  var all: [Element] { list.withLock { $0 } }
  func add(_ element: Element) { list.withLock { $0.append(element) } }
}

extension DeviceDefinition {
  static let thermometerAddress: BluetoothAddress = {
    guard let address = BluetoothAddress("C0:FF:EE:00:00:01") else {
      preconditionFailure("an address")
    }
    return address
  }()

  /// A device with a battery, a value that can be written, and one that echoes.
  static let thermometer = DeviceDefinition(
    name: "Thermo-1",
    address: thermometerAddress,
    services: [
      ServiceDefinition(
        uuid: .battery,
        characteristics: [
          CharacteristicDefinition(
            uuid: .batteryLevel,
            properties: [.read, .notify],
            behaviour: .constant([87])
          )
        ]
      ),
      ServiceDefinition(
        uuid: .alert,
        characteristics: [
          CharacteristicDefinition(
            uuid: .alertLevel,
            properties: [.read, .write, .notify],
            behaviour: .echo
          )
        ]
      ),
    ]
  )
}

extension BluetoothUUID {
  static let battery = BluetoothUUID(short: 0x180f)
  static let batteryLevel = BluetoothUUID(short: 0x2a19)
  static let alert = BluetoothUUID(short: 0x1802)
  static let alertLevel = BluetoothUUID(short: 0x2a06)
}
