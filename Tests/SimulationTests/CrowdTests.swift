// A crowd: more devices than are connected to within the half minute for which bluetoothd keeps them.

import BlueZ
import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("A crowd of devices")
struct CrowdTests {
  /// One client among many devices.
  struct Crowd {
    private static let lanes = 8

    let loop = VirtualTimeLoop()
    let messages = Recorded<Message>()
    let simulator: BlueZSimulator
    let client: BlueZClient
    private let count: Int
    private let ending: Ending

    /// - Parameter limit: From how many devices on the client treats them as a crowd.
    init(_ count: Int, limit: Int = 32, name: (Int) -> String = { "Tag-\($0)" }) throws {
      self.count = count
      let (loop, messages) = (loop, messages)
      let bus = LoopbackBus(on: loop) { message, _ in messages.add(message) }
      let devices = (1...count).map { number in
        var definition = DeviceDefinition.thermometer
        definition.name = name(number)
        definition.address = Self.address(number)
        let generator = SeededGenerator(seed: 0, name: "device \(number)")
        return SimulatedDevice(definition, on: loop, generator: generator)
      }
      let (theirs, ours) = (try bus.connect(), try bus.connect())
      ending = Ending(loop) { bus.shutDown() }
      let simulator = BlueZSimulator(bus: theirs, devices: devices)
      self.simulator = simulator
      var limits = BlueZLimits()
      limits.crowd = limit
      client = try loop.run { [limits] in
        try await simulator.start()
        return try await BlueZClient.open(bus: ours, limits: limits)
      }
    }

    static func address(_ number: Int) -> BluetoothAddress {
      BluetoothAddress(number: 0xc0ff_ee03_0000 + UInt64(number))
    }

    func service(_ target: DeviceTarget) -> BlueZDeviceService {
      BlueZDeviceService(client: client, target: target, scheduler: SerialScheduler(on: loop))
    }

    /// Connects to a device and disconnects.
    func visit(_ target: DeviceTarget) throws {
      let service = service(target)
      try loop.run { _ = try await service.connect(keep: false, expecting: []).first() }
    }

    /// Why a connect fails.
    func failure(_ target: DeviceTarget) -> DeviceFailure? {
      do {
        try visit(target)
        return nil
      } catch {
        return error as? DeviceFailure
      }
    }

    /// Visits all devices, several at once.
    func visitAll() throws {
      let (loop, count) = (loop, count)
      let service = service
      try loop.run {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for lane in 0..<Self.lanes {
            group.addTask {
              for number in stride(from: lane + 1, through: count, by: Self.lanes) {
                let target = DeviceTarget.name("tag-\(number)")
                _ = try await service(target).connect(keep: false, expecting: []).first()
              }
            }
          }
          try await group.waitForAll()
        }
      }
    }

    /// Waits until bluetoothd has removed every device that nobody connected to.
    func forget() throws {
      let loop = loop
      try loop.run { try await loop.sleep(for: .seconds(35)) }
      messages.forget()
    }

    /// The patterns of the filters, in order; nil for one without.
    var patterns: [String?] {
      messages.all.filter { $0.member == Adapter1.setDiscoveryFilter.name }
        .map { $0.body.first?.asPropertyMap?["Pattern"]?.asString }
    }

    /// The devices that bluetoothd has announced.
    var announced: [BluetoothAddress] {
      messages.all.filter { $0.member == StandardInterface.interfacesAdded.name }
        .compactMap { $0.body.first?.asObjectPath }
        .filter { $0.parent == "/org/bluez/hci0" }
        .compactMap { BlueZPath.address(ofDevice: $0) }
    }
  }

  @Test("twice as many devices cost as many messages each")
  func growth() throws {
    func messagesPerDevice(_ count: Int) throws -> Double {
      let crowd = try Crowd(count)
      try crowd.visitAll()
      return Double(crowd.messages.all.count) / Double(count)
    }
    let few = try messagesPerDevice(200)
    let many = try messagesPerDevice(400)
    // The devices of the first half minute are found together: less of many than of few.
    #expect(many < few * 1.15, "\(few), then \(many)")
  }

  @Test("a device that was received before is looked for alone, by whatever it is named")
  func alone() throws {
    let crowd = try Crowd(40)
    try crowd.visit(.name("Tag-1"))
    #expect(crowd.patterns == [nil])
    #expect(crowd.announced.count == 40)
    let targets: [Int: DeviceTarget] = [
      7: .name("tag-7"), 8: .name("Tag-8", exact: true), 9: .address(Crowd.address(9)),
    ]
    for (number, target) in targets.sorted(by: { $0.key < $1.key }) {
      try crowd.forget()
      try crowd.visit(target)
      #expect(crowd.patterns == ["\(Crowd.address(number))"])
      #expect(crowd.announced == [Crowd.address(number)])
    }
  }

  @Test("without a crowd, and where a target may select several devices, all are looked for")
  func notAlone() throws {
    let few = try Crowd(20)
    try few.visit(.name("Tag-1"))
    try few.forget()
    try few.visit(.name("Tag-7"))
    #expect(few.patterns == [nil])
    let namesakes = try Crowd(40) { "Tag-\(($0 + 1) / 2)" }
    try namesakes.visit(.name("Tag-1"))
    for target in [DeviceTarget.name("Tag-7"), .name("Tag-9*"), .alias("Tag-11")] {
      try namesakes.forget()
      try namesakes.visit(target)
      #expect(namesakes.patterns == [nil], "\(target)")
    }
  }

  @Test("a device whose name was received with another case is not looked for alone")
  func otherCase() throws {
    let crowd = try Crowd(40)
    try crowd.visit(.name("Tag-1"))
    try crowd.forget()
    #expect(crowd.failure(.name("TAG-7", exact: true))?.code == .notFound)
    #expect(crowd.patterns == [nil])
  }

  @Test("a device that has left is looked for alone, then among all, which its failure lists")
  func left() throws {
    let crowd = try Crowd(40)
    try crowd.visit(.name("Tag-1"))
    try crowd.forget()
    crowd.simulator.vanish(Crowd.address(7))
    let begun = crowd.loop.now
    let failure = crowd.failure(.name("Tag-7"))
    #expect(failure?.code == .notFound)
    #expect(failure?.meaning.contains("in range: 'Tag-") == true, "\(failure?.meaning ?? "")")
    #expect(crowd.patterns == ["\(Crowd.address(7))", nil])
    #expect(crowd.announced.count == 38, "all but the one that left, and the one that stays known")
    #expect(crowd.loop.now - begun < .seconds(32))
  }

  @Test("one that has left does not keep the others from being found")
  func turns() throws {
    let crowd = try Crowd(40)
    try crowd.visit(.name("Tag-1"))
    try crowd.forget()
    crowd.simulator.vanish(Crowd.address(7))
    let loop = crowd.loop
    let (found, failures) = (Recorded<Duration>(), Recorded<String>())
    let begun = loop.now
    let services = [7, 8, 9].map { crowd.service(.address(Crowd.address($0))) }
    try loop.run {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for service in services {
          group.addTask {
            do {
              _ = try await service.connect(keep: false, expecting: []).first()
              found.add(loop.now - begun)
            } catch {
              failures.add("\(error)")
            }
          }
        }
        try await loop.sleep(for: .seconds(10))
        group.cancelAll()
      }
    }
    #expect(failures.all.count == 1, "\(failures.all)")
    #expect(found.all.count == 2)
    #expect(found.all.allSatisfy { $0 < .seconds(5) }, "\(found.all)")
    #expect(crowd.announced == [8, 9].map(Crowd.address))
  }
}
