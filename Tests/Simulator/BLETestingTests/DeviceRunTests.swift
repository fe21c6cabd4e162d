// Runs over a simulated device as a user of the package writes them: where they begin, what they
// hold, and what they leave behind.

import BLETesting
import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import Testing

@Suite("Runs over a device")
struct DeviceRunTests {
  static let tag = DeviceSource.yaml(
    """
    name: Tag
    address: C0:FF:EE:00:00:44
    services:
      - service: battery
        characteristics:
          - { characteristic: battery-level, properties: [read], value: { u8: 42 } }
      - service: health-thermometer
        characteristics:
          - characteristic: intermediate-temperature
            properties: [notify]
            wave:
              parts:
                - { hex: "00" }
                - { medfloat: { low: 36.4, high: 36.8, decimals: 2 } }
              period: 1m
              every: 20ms
    """
  )

  private static let temperature = CharacteristicSelector(
    characteristic: BluetoothUUID(short: 0x2a1e)
  )

  @Test("in virtual time such a run is refused, and the suggested remedy works")
  func virtual() throws {
    let world = try SimulatedWorld(Self.tag)
    let device = try world.service()
    let run = Signal.just(1).flattenMap { _ in device.session { device.read(.batteryLevel) } }
    let refused = run.firstOrDefault(0, within: .seconds(30))
    #expect("\(try #require(refused.error))".contains(".on(scheduler)"))
    #expect(run.on(world.scheduler).firstOrDefault(0, within: .seconds(30)).value == 42)
    #expect(world.log.last?.event == "link-down")
  }

  @Test("a run that connects midway holds its turn, and disconnects when it ends")
  func connectsOnTheWay() async throws {
    let world = try SimulatedWorld(Self.tag, time: .real, settings: .instant)
    let device = try world.service()
    let run = Signal.just(1).flattenMap { _ in device.connect() }
      .flattenMap { device.read(.batteryLevel) }
    #expect(run.firstOrDefault(0, within: .seconds(30)).value == 42)
    #expect(world.log.last?.event == "link-down")
    #expect(try await run.first(within: .seconds(30)) == 42)
    var values: [Int] = []
    for try await value in device.session({ device.read(.batteryLevel) }).values {
      values.append(value)
    }
    #expect(values == [42])
    #expect(world.scheduler.isIdle)
    #expect(world.log.last?.event == "link-down")
  }

  // MARK: Steps behind each value of a subscription

  @Test("a disconnect for each value is refused before it is sent, with a suggested alternative")
  func disconnectForEach() throws {
    let world = try SimulatedWorld(Self.tag)
    let device = try world.service()
    let values = device.notifications(Self.temperature)
    let steps: [(Signal<Void>, Signal<Int>)] = [
      (device.disconnect(), values.take(3).map { _ in 1 }),
      (device.unpair(), values.take(3).map { _ in 1 }),
      (device.connect(), values.take(3).map { _ in 1 }),
      (device.disconnect(), values.timeout(.seconds(30)).take(3).map { _ in 1 }),
      (device.disconnect(), Signal.merge(values, .never()).take(3).map { _ in 1 }),
      (device.disconnect(), values.throttle(.seconds(1)).take(3).map { _ in 1 }),
      (device.disconnect(), values.share().take(3).map { _ in 1 }),
    ]
    for (step, values) in steps {
      let chain = device.connect().flattenMap { values }.flattenMap { _ in step }
      let outcome = chain.firstOrDefault((), within: .seconds(60))
      let failure = try #require(outcome.error as? DeviceFailure)
      #expect(failure.code == .insideSubscription)
      #expect(failure.description.contains("collect()") && failure.description.contains("then"))
    }
    #expect(!world.log.contains { $0.event == "Adapter1.RemoveDevice" })
    #expect(world.log.last?.event == "link-down")
  }

  @Test("a task that begins in a subscription's sink can later make its own connection")
  func later() throws {
    let world = try SimulatedWorld(Self.tag)
    let device = try world.service()
    let task = Guarded<Task<Int, any Error>?>(nil)
    let values = device.session { device.notifications(Self.temperature) }.on(value: { _ in
      task.withLock { task in
        guard task == nil else { return }
        task = world.loop.task {
          try await device.withConnection(within: .seconds(60)) { try await $0.read(.batteryLevel) }
        }
      }
    })
    _ = try values.take(2).collect().firstOrThrow(within: .seconds(60))
    let level = try #require(task.withLock { $0 })
    #expect(try world.loop.run { try await level.value } == 42)
    #expect(world.log.filter { $0.event == "link-up" }.count == 2)
    #expect(world.log.last?.event == "link-down")
  }

  @Test("the suggested alternative loses no value, and a read for each value is allowed")
  func collected() throws {
    let world = try SimulatedWorld(Self.tag)
    let device = try world.service()
    let values = device.notifications(Self.temperature).take(3)
    let literal = device.connect().flattenMap { values.collect() }.flattenMap { all in
      device.disconnect().map { all.count }
    }
    #expect(literal.firstOrDefault(0, within: .seconds(60)).value == 3)
    let reading = device.session {
      values.flattenMap { _ in device.read(.batteryLevel) }.collect()
    }
    #expect(reading.firstOrDefault([], within: .seconds(60)).value == [42, 42, 42])
    let then = device.connect().flattenMap { values.then { device.disconnect() } }
    #expect(then.firstOrDefault((), within: .seconds(60)).success)
    // Behind the last value nothing more comes, in an outer subscription it may.
    let all = device.notifications(Self.temperature)
    for last in [all.take(1), all.takeThrough { _ in true }] {
      let one = device.connect().flattenMap { last }.flattenMap { _ in device.disconnect() }
      #expect(one.firstOrDefault((), within: .seconds(60)).success)
      let inner = device.connect().flattenMap { values }.flattenMap { _ in last }
        .flattenMap { _ in device.disconnect() }
      let failure = inner.firstOrDefault((), within: .seconds(60)).error as? DeviceFailure
      #expect(failure?.code == .insideSubscription)
    }
  }
}
