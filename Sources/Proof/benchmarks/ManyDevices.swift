// The cost per device of many simulated devices: each is connected and read, eight at a time, in
// virtual time, with one adapter and one client.
//
// The total must grow linearly with the number of devices.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

struct ManyDevices {
  private static let lanes = 8
  private static let batteryLevel = BluetoothUUID(short: 0x2a19)

  /// The number of devices, and of the messages that they caused.
  let count: Int
  let messages: Int

  /// The processor time for `count` devices, as a multiple of the time for a tenth of them.
  ///
  /// Each is the shortest of three: what else runs on the machine, and takes its caches, makes it longer.
  static func growth(count: Int) throws -> Double {
    // Warm-up: the first run includes one-time costs of the process.
    _ = try measured(count: lanes)
    var (tenth, whole) = (Double.infinity, Double.infinity)
    for _ in 0..<3 {
      let start = processorTime()
      _ = try measured(count: count / 10)
      let between = processorTime()
      _ = try measured(count: count)
      tenth = min(tenth, between - start)
      whole = min(whole, processorTime() - between)
    }
    return whole / tenth
  }

  /// Connects to each device, reads and disconnects.
  static func measured(count: Int) throws -> ManyDevices {
    let loop = VirtualTimeLoop()
    let messages = Guarded(0)
    let bus = LoopbackBus(on: loop) { _, _ in messages.withLock { $0 += 1 } }
    let devices = (1...count).map { number in
      SimulatedDevice(
        definition(number), on: loop, generator: SeededGenerator(seed: 0, name: "device \(number)")
      )
    }
    let simulator = BlueZSimulator(bus: try bus.connect(), devices: devices)
    defer { withExtendedLifetime(simulator) {} }
    let ours = try bus.connect()
    try loop.run {
      try await simulator.start()
      let client = try await BlueZClient.open(bus: ours)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for lane in 0..<lanes {
          group.addTask { try await read(lane: lane, of: count, client) }
        }
        try await group.waitForAll()
      }
    }
    return ManyDevices(count: count, messages: messages.withLock { $0 })
  }

  private static func read(lane: Int, of count: Int, _ client: BlueZClient) async throws {
    let scheduler = SerialScheduler(on: client.bus.loop, name: "lane \(lane)")
    let selector = CharacteristicSelector(characteristic: batteryLevel)
    for number in stride(from: lane + 1, through: count, by: lanes) {
      let service = BlueZDevice(
        client: client, target: .address(address(number)), scheduler: scheduler
      )
      let value = try await service.connect(keep: false, expecting: [])
        .flattenMap { _ in service.read(selector) }
        .first()
      guard value == [87] else {
        throw SerialReads.Failure(description: "device \(number) was read as \(value)")
      }
    }
  }

  private static func address(_ number: Int) -> BluetoothAddress {
    BluetoothAddress(number: 0xc0ff_ee03_0000 + UInt64(number))
  }

  private static func definition(_ number: Int) -> DeviceDefinition {
    let level = CharacteristicDefinition(
      uuid: batteryLevel, properties: [.read], behaviour: .constant([87])
    )
    return DeviceDefinition(
      name: "Tag-\(number)", address: address(number),
      services: [
        ServiceDefinition(uuid: BluetoothUUID(short: 0x180f), characteristics: [level])
      ]
    )
  }
}
