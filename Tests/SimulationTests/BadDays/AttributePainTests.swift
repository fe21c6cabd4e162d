// What hurts users of BLE on Linux when they read, write and listen: what comes of it here.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Pains of attributes")
struct AttributePainTests {
  /// Connects, runs a signal to its end, disconnects; then checks what every day is held to.
  @discardableResult
  private func well<Value: Sendable>(
    _ simulation: Simulation,
    _ body: @escaping @Sendable (BlueZDevice) -> Signal<Value>
  ) throws -> [Value] {
    let service = simulation.service
    let outcome = service.session { body(service).collect() }
      .firstOrDefault([], within: .seconds(60))
    #expect(outcome.error == nil)
    simulation.expectReleased()
    simulation.expectNextChain()
    return outcome.value
  }

  private func badly<Value: Sendable>(
    _ simulation: Simulation,
    _ verdict: Verdict,
    _ body: @escaping @Sendable (BlueZDevice) -> Signal<Value>
  ) -> DeviceFailure? {
    let service = simulation.service
    let endured = simulation.endure(service.session { body(service).collect() })
    verdict.check(endured)
    simulation.expectReleased()
    simulation.expectNextChain()
    return endured.failure
  }

  @Test(
    "the first notification is not lost: it comes before the answer to the trigger, and is kept"
  )
  func firstNotification() throws {
    let simulation = try Simulation.bench()
    let values = try well(simulation) { service in
      service.subscribe(.alert).flattenMap { values in
        service.write([9], to: .alert, kind: .request)
          // Whoever triggers looks late.
          .flattenMap { Signal.just(()).delay(.seconds(1)) }
          .flattenMap { values.take(1).map(\.value) }
      }
    }
    #expect(values == [[9]])
  }

  @Test("notification and answer to the write may come in either order: an exchange takes both")
  func order() throws {
    for (uuid, wanted) in [(BluetoothUUID.alertLevel, UInt8(7)), (.stream, 3)] {
      let simulation = try Simulation.bench()
      let exchanges = try well(simulation) { service in
        service.exchange(
          write: [7],
          to: .alert,
          expectingOn: CharacteristicSelector(characteristic: uuid)
        ) { $0.value == [wanted] }
      }
      let exchange = try #require(exchanges.first)
      #expect((exchange.notification.at > exchange.answered) == (uuid == .stream))
    }
  }

  @Test("AcquireNotify surprises nobody: signals are the default, and acquired is as good")
  func delivery() throws {
    for options in [SubscriptionOptions(), SubscriptionOptions(delivery: .acquire)] {
      let calls = Recorded<String>()
      let simulation = try Simulation.bench { message, _ in
        if message.kind == .methodCall { calls.add(message.member ?? "") }
      }
      let values = try well(simulation) { service in
        service.subscribe(.stream, options).flattenMap { $0.take(2) }
      }
      #expect(values.map { $0.notification?.value } == [[1], [2]])
      let acquired = calls.all.count { $0 == "AcquireNotify" }
      #expect(acquired == (options.delivery == .acquire ? 1 : 0))
    }
  }

  @Test("no duplicates: not of our own reads, nor for two observers, nor after a reconnection")
  func duplicates() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    let options = SubscriptionOptions(onLinkLoss: .resume)
    let seen = try well(simulation) { service in
      service.subscribe(.alert, options).flattenMap { events in
        service.read(.alert)
          .flattenMap { _ in service.write([1], to: .alert, kind: .request) }
          .flattenMap { service.read(.alert) }
          .flattenMap { _ -> Signal<[NotificationEvent]> in
            simulation.loop.after(.seconds(1)) { simulator.loseLink(address) }
            let device = simulation.device
            let handle = device.table.services[4].characteristics[0].handle
            simulation.loop.after(.seconds(4)) {
              _ = device.write(handle, [2], withResponse: true)
            }
            return events.take(3).collect()
          }
      }
    }
    #expect(seen.first?.map { $0.notification?.value } == [[1], nil, [2]])
  }

  @Test(
    "subscriptions after a reconnection: as the stream wants it, it fails or goes on with a gap",
    arguments: [SubscriptionOptions(), SubscriptionOptions(onLinkLoss: .resume)]
  )
  func restored(_ options: SubscriptionOptions) throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    _ = simulation.strike(.subscribed) { simulator.loseLink(address) }
    let stream: @Sendable (BlueZDevice) -> Signal<NotificationEvent> = { service in
      service.subscribe(.stream, options).flattenMap { $0.take(20) }
    }
    if options.onLinkLoss == .resume {
      let events = try well(simulation, stream)
      #expect(events.count { $0.notification == nil } == 1)
    } else {
      _ = badly(simulation, Verdict(.linkLost, .passing, within: .seconds(5)), stream)
    }
  }

  @Test("the MTU is known, and what it does not carry is refused before it is sent")
  func mtu() throws {
    let simulation = try Simulation.bench()
    #expect(try well(simulation) { $0.mtu() } == [64])
    let verdict = Verdict(.invalidValue, .definite, within: .seconds(5))
    let value = [UInt8](repeating: 1, count: 62)
    let failure = badly(simulation, verdict) { $0.write(value, to: .sink, kind: .command) }
    #expect(failure?.meaning.contains("at most 61") == true)
    let longest = [UInt8](repeating: 1, count: 513)
    _ = badly(simulation, verdict) { $0.write(longest, to: .alert, kind: .request) }
    #expect(!simulation.history.contains { $0.contains("written ff02") })
  }

  @Test("NotPermitted is five things, each told as what it is")
  func notPermitted() throws {
    let cases: [(ATTErrorCode, DeviceFailure.Code, String)] = [
      (ATTErrorCode(rawValue: 0x02), .notPermitted, "does not permit reading this attribute"),
      (ATTErrorCode(rawValue: 0x0c), .notPaired, "requires a paired, encrypted connection"),
      (ATTErrorCode(rawValue: 0x08), .notPermitted, "refuses the access"),
    ]
    for (code, wanted, meaning) in cases {
      let simulation = try Simulation.bench()
      simulation.device.setFaults([
        FaultRule(on: .read, occurrence: .nth(1), action: .refuse(code))
      ])
      let verdict = Verdict(wanted, .definite, within: .seconds(5))
      let failure = badly(simulation, verdict) { $0.read(.alert) }
      #expect(failure?.meaning.contains(meaning) == true)
    }
    let simulation = try Simulation.bench()
    let offered = badly(simulation, Verdict(.notSupported, .definite, within: .seconds(5))) {
      $0.notifications(.sink)
    }
    #expect(offered?.meaning.contains("write-without-response") == true)
    let descriptor = try DescriptorSelector(parsing: "alert-level/2902")
    let configuration = badly(simulation, Verdict(.notPermitted, .definite, within: .seconds(5))) {
      $0.writeDescriptor([1, 0], to: descriptor)
    }
    #expect(configuration?.hint.contains("notifications(_:)") == true)
  }

  @Test("pairing needs no other agent: the chain brings its own, for as long as it pairs")
  func agent() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 42))
    let service = simulation.service
    let answers = PairingAnswers(secret: Secret("42"))
    let chain = service.connect().flattenMap { service.pair(answers) }
      .flattenMap { _ in service.read(.authenticated) }
    #expect(simulation.endure(chain).error == nil)
    simulation.expectReleased()
    #expect(try simulation.deviceProperty("Paired") == true)
    let again = simulation.endure(service.connect().flattenMap { service.read(.authenticated) })
    #expect(again.error == nil)
    simulation.expectReleased()
  }
}
