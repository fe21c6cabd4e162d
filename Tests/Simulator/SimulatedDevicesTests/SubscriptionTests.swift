// Subscriptions, ticks, and the effects of a lost link.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Subscriptions")
struct SubscriptionTests {
  func counting(first: Bool = false) throws -> Behaviour {
    let format = try format("u8")
    return .counter(Counter(format: format, from: 10, every: .seconds(1), beginsAtOnce: first))
  }

  @Test("the current value is sent at once if the definition requests it")
  func atOnce() throws {
    let bench = DeviceBench(CharacteristicDefinition(.notify, try counting(first: true)))
    try bench.subscribe(12)
    #expect(bench.sent(on: 12).isEmpty, "no value is sent inside the call")
    try bench.run(to: 1500)
    #expect(bench.sent(on: 12) == [Sent(0, [10]), Sent(1000, [11])])
  }

  @Test("without a configuration, values are sent while the link is up, subscribed or not")
  func withoutConfiguration() throws {
    var definition = CharacteristicDefinition(.notify, try counting())
    definition.hasConfiguration = false
    let bench = DeviceBench(definition)
    #expect(bench.device.table.characteristic(at: 12)?.descriptors == [])
    #expect(throws: ATTErrorCode.attributeNotFound) { try bench.subscribe(12) }
    try bench.run(to: 2500)
    bench.device.linkDown()
    try bench.run(to: 4000)
    #expect(bench.sent(on: 12) == [Sent(1000, [11]), Sent(2000, [12])])
  }

  @Test("no value is sent without a subscription or after its end")
  func end() throws {
    let bench = DeviceBench(CharacteristicDefinition(.notify, try counting()))
    try bench.run(to: 2500)
    try bench.subscribe(12)
    try bench.run(to: 4000)
    try bench.subscribe(12, nil)
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
    #expect(bench.sent(on: 12) == [Sent(3500, [13])])
  }

  @Test("subscribing again has no effect; after unsubscribing it starts over")
  func again() throws {
    let bench = DeviceBench(CharacteristicDefinition([.notify, .indicate], try counting()))
    try bench.subscribe(12)
    try bench.run(to: 500)
    try bench.subscribe(12, .indication)
    #expect(try bench.read(13) == [2, 0])
    try bench.run(to: 1200)
    try bench.subscribe(12, nil)
    try bench.subscribe(12)
    try bench.run(to: 2500)
    #expect(bench.sent(on: 12).map(\.at) == [1000, 2200])
  }

  @Test("a lost link ends subscriptions and all pending actions")
  func linkDown() throws {
    let bench = DeviceBench(CharacteristicDefinition(.notify, try counting()))
    try bench.subscribe(12)
    try bench.run(to: 1500)
    bench.device.linkDown()
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
    bench.device.linkUp()
    #expect(try bench.read(13) == [0, 0])
    #expect(bench.sent(on: 12).count == 1)
  }

  @Test("a link that drops in a notification handler ends the ticks too")
  func lostInHandler() throws {
    let bench = DeviceBench(CharacteristicDefinition(.notify, try counting()))
    let device = bench.device
    let count = Guarded(0)
    device.onNotification { _, _ in
      count.withLock { $0 += 1 }
      device.linkDown()
      device.linkUp()
      _ = device.subscribe(12, .notification)
    }
    try bench.subscribe(12)
    try bench.run(to: 3500)
    #expect(count.withLock { $0 } == 3)
    // The handler holds the device.
    device.onNotification { _, _ in }
  }

  @Test("the configuration reads as the subscription, and writing it subscribes")
  func configuration() throws {
    let bench = DeviceBench(CharacteristicDefinition([.notify, .indicate], try counting()))
    #expect(try bench.read(13) == [0, 0])
    try bench.write(13, [1, 0])
    #expect(try bench.read(13) == [1, 0])
    try bench.run(to: 1500)
    #expect(bench.sent(on: 12).count == 1)
    try bench.write(13, [0, 0])
    #expect(try bench.read(13) == [0, 0])
    #expect(bench.device.write(13, [1], withResponse: true).error == .invalidAttributeValueLength)
    #expect(bench.device.write(13, [3, 0], withResponse: true).error == .cccImproperlyConfigured)
  }

  @Test("a subscription type that the characteristic lacks is refused")
  func refused() throws {
    let bench = DeviceBench(
      CharacteristicDefinition(.notify), CharacteristicDefinition(.read, uuid: .second)
    )
    #expect(bench.device.subscribe(12, .indication).error == .cccImproperlyConfigured)
    #expect(bench.device.subscribe(15, .notification).error == .attributeNotFound)
    bench.device.linkDown()
    #expect(bench.device.subscribe(12, .notification).error == .unlikelyError)
  }

  @Test("a notification carries the MTU minus three bytes")
  func mtu() throws {
    var definition = DeviceDefinition.with([CharacteristicDefinition([.write, .notify], .echo)])
    definition.link.mtu = 23
    let bench = DeviceBench(definition)
    try bench.subscribe(12)
    try bench.write(12, Array(0..<30))
    try bench.run(to: 1)
    #expect(bench.sent(on: 12) == [Sent(0, Array(0..<20))])
  }

  @Test("a new handler replaces the previous one")
  func handler() throws {
    let bench = DeviceBench(CharacteristicDefinition(.notify, try counting()))
    try bench.subscribe(12)
    let count = Guarded(0)
    bench.device.onNotification { _, _ in count.withLock { $0 += 1 } }
    try bench.run(to: 2500)
    #expect(count.withLock { $0 } == 2)
    #expect(bench.sent(on: 12).isEmpty)
  }
}
