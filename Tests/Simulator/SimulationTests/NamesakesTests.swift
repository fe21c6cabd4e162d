// Several devices with one name: which of them is used, and when.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Devices with the same name")
struct NamesakesTests {
  /// A world of devices that are called Lamp.
  private struct Room {
    let world: SimulatedWorld
    let notices = Recorded<ServiceNotice>()

    /// - Parameter lamps: RSSI and interval of each; the addresses are in this order.
    init(_ lamps: [(rssi: Int, interval: Duration)]) throws {
      let loop = VirtualTimeLoop()
      let devices = lamps.enumerated().map { number, lamp in
        var definition = DeviceDefinition.thermometer
        definition.name = "Lamp"
        definition.address = Self.address(number)
        definition.advertisement.services = [.alert]
        definition.advertisement.rssi = lamp.rssi
        definition.advertisement.rssiSpread = 0
        definition.advertisement.interval = lamp.interval
        let generator = SeededGenerator(seed: 0, name: "device \(number)")
        return SimulatedDevice(definition, on: loop, generator: generator)
      }
      world = try SimulatedWorld(devices, on: loop)
    }

    static func address(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(number: 0xc0ff_ee00_0010 + UInt64(number))
    }

    func service(
      _ target: DeviceTarget = .name("lamp"), isUnique: Bool = false, choice: Duration? = nil
    ) -> BlueZDevice {
      var options = ConnectOptions()
      options.choice = choice
      options.isUnique = isUnique
      return BlueZDevice(
        client: world.client, target: target, options: options,
        scheduler: SerialScheduler(on: world.loop), notices: { [notices] in notices.add($0) }
      )
    }

    /// Connects and disconnects.
    ///
    /// - Returns: How long it took until it was connected.
    @discardableResult
    func connect(_ service: BlueZDevice) throws -> Duration {
      let (loop, begun) = (world.loop, world.loop.now)
      let outcome = service.connect().map { loop.now - begun }
        .firstOrDefault(.zero, within: .seconds(60))
      if let error = outcome.error { throw error }
      return outcome.value
    }

    func failure(_ service: BlueZDevice) -> DeviceFailure? {
      do {
        try connect(service)
        return nil
      } catch {
        return error as? DeviceFailure
      }
    }

    /// The devices that were connected to, by their ordinals.
    var connected: [UInt64] {
      world.events.compactMap { event in
        if case .linkUp(let address) = event { address.number & 0xf } else { nil }
      }
    }

    var choices: [[UInt64]] {
      notices.all.compactMap { notice in
        guard case .choosing(_, let devices) = notice else { return nil }
        return devices.map { $0.address.number & 0xf }
      }
    }
  }

  private static let often = Duration.milliseconds(100)
  private static let seldom = Duration.milliseconds(900)

  @Test(
    "the strongest device of the first second is used, and all are reported",
    arguments: [
      DeviceTarget.name("Lamp"), .name("L*p"), .alias("Lamp"), .service("immediate-alert"),
    ]
  )
  func strongest(target: DeviceTarget) throws {
    let room = try Room([(-80, Self.often), (-40, Self.seldom), (-60, Self.often)])
    let service = room.service(target)
    try room.connect(service)
    #expect(service.candidates.map(\.rssi) == [-40, -60, -80])
    #expect(room.connected == [1])
    #expect(room.choices == [[1, 2, 0]])
  }

  @Test("a single device, an address target and a wildcard target report no other devices")
  func alone() throws {
    let one = try Room([(-80, Self.often)])
    try one.connect(one.service())
    #expect(one.choices.isEmpty)
    let two = try Room([(-80, Self.often), (-40, Self.often)])
    for target in [DeviceTarget.address(Room.address(0)), .any] {
      let service = two.service(target)
      let took = try two.connect(service)
      #expect(took < .seconds(1), "\(target): \(took)")
      #expect(service.candidates.count == (target == .any ? 1 : 0))
    }
    let pattern = one.service(.name("L*"))
    try one.connect(pattern)
    #expect(pattern.candidates.map(\.address) == [Room.address(0)])
    #expect(two.choices.isEmpty)
  }

  @Test(
    "the strongest device of the time for the choice is used; without time, the first one",
    arguments: [
      (choice: Duration?.none, appears: 500, used: 1), (nil, 3000, 0), (.zero, 500, 0),
      (.seconds(5), 3000, 1),
    ]
  )
  func choice(choice: Duration?, appears: Int, used: UInt64) throws {
    let room = try Room([(-80, Self.often), (-40, Self.often)])
    let simulator = room.world.simulator
    simulator.vanish(Room.address(1))
    room.world.loop.after(.milliseconds(appears)) { simulator.appear(Room.address(1)) }
    try room.connect(room.service(choice: choice))
    #expect(room.connected == [used])
  }

  @Test("a device that is found after the first second is used at once")
  func late() throws {
    let room = try Room([(-60, Self.often)])
    room.world.simulator.vanish(Room.address(0))
    let simulator = room.world.simulator
    room.world.loop.after(.seconds(5)) { simulator.appear(Room.address(0)) }
    let took = try room.connect(room.service())
    #expect(took > .seconds(5) && took < .milliseconds(5_900), "\(took)")
  }

  @Test("the chosen device is used again without a scan; another service scans for its own")
  func again() throws {
    let room = try Room([(-80, Self.often), (-40, Self.often)])
    let service = room.service()
    for _ in 0..<2 { try room.connect(service) }
    #expect(room.connected == [1, 1] && room.choices.count == 1)
    #expect(room.world.events.count { $0 == .scanning(true) } == 1)
    // Both are known by now, and nothing tells which is near.
    try room.connect(room.service(.address(Room.address(0))))
    try room.connect(room.service())
    #expect(room.connected == [1, 1, 0, 1] && room.choices.count == 2)
  }

  @Test("if the device must be unique, several devices are a failure, and one is not")
  func unique() throws {
    let room = try Room([(-80, Self.often), (-40, Self.often)])
    let failure = try #require(room.failure(room.service(isUnique: true)))
    #expect(failure.code == .ambiguous && failure.class == .definite)
    for number in 0..<2 {
      #expect(failure.meaning.contains("\(Room.address(number))"), "\(failure.meaning)")
    }
    #expect(room.connected.isEmpty)
    // Also when one of them is connected, and does not advertise.
    let first = room.service(.address(Room.address(0)))
    let kept = first.connect(keep: true, expecting: []).map { _ in }
    try #require(kept.firstOrDefault((), within: .seconds(10)).error == nil)
    #expect(room.failure(room.service(isUnique: true))?.code == .ambiguous)
    try #require(first.disconnect().firstOrDefault((), within: .seconds(10)).error == nil)
    room.world.simulator.vanish(Room.address(0))
    let alone = room.service(isUnique: true)
    for _ in 0..<2 { try room.connect(alone) }
    #expect(room.connected.suffix(2) == [1, 1])
  }
}
