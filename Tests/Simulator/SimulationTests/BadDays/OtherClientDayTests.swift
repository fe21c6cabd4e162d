// Another program on the same bluetoothd holds a resource that a chain needs.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: another client")
struct OtherClientDayTests {
  @Test("if another client scans, the chain runs and leaves discovery on")
  func scan() throws {
    let simulation = try Simulation.bench()
    let other = try simulation.otherProgram()
    let observation = other.scan(ScanFilter()).collect().observe { _ in }
    try simulation.pass(.seconds(1))
    let endured = simulation.endure()
    #expect(endured.error == nil)
    // Ours is not waited for longer than a scan of our own would be.
    #expect(endured.took < .seconds(12))
    simulation.expectReleased()
    #expect(simulation.history.count { $0 == "scanning off" } == 0)
    observation.cancel()
    try simulation.pass(.seconds(1))
    #expect(simulation.history.last == "scanning off")
    simulation.expectNextChain()
  }

  /// A link with a subscription of another program's, as long as `body` runs.
  private func beside(
    _ simulation: Simulation, _ options: SubscriptionOptions, _ body: () throws -> Void
  ) throws {
    let other = try simulation.otherProgram()
    let loop = simulation.loop
    let isHeld = Guarded(false)
    let holding = loop.task {
      try await other.scheduler.turn {
        try await other.session {
          other.subscribe(.stream, options).flattenMap { events in
            isHeld.withLock { $0 = true }
            return events.collect()
          }
        }.run { _ in }
      }
    }
    try loop.drive { isHeld.withLock { $0 } }
    try body()
    // The link is the other program's, and was left to it.
    #expect(simulation.ledger.isUp)
    #expect(simulation.ledger.links.count == 1)
    holding.cancel()
    try simulation.pass(.seconds(5))
  }

  @Test("if another client holds the connection, the chain uses it and leaves it up")
  func connection() throws {
    let simulation = try Simulation.bench()
    try beside(simulation, SubscriptionOptions()) {
      let service = simulation.service
      let chain = service.connect(keep: false, expecting: [])
        .flattenMap { origin in service.read(.alert).map { _ in origin } }
      let outcome = chain.map { Optional($0) }.firstOrDefault(nil, within: .seconds(10))
      #expect(outcome.value == .found)
    }
    simulation.expectRecovered()
  }

  @Test(
    "if another client holds the notify lock, the failure is busy and names another program",
    arguments: SubscriptionOptions.Delivery.allCases
  )
  func lock(_ delivery: SubscriptionOptions.Delivery) throws {
    let simulation = try Simulation.bench()
    try beside(simulation, SubscriptionOptions(delivery: .acquire)) {
      let service = simulation.service
      let options = SubscriptionOptions(delivery: delivery)
      let chain = service.connect().flattenMap {
        service.subscribe(.stream, options).flattenMap { $0.take(1) }
      }
      let endured = simulation.endure(chain)
      Verdict(.busy, .passing, within: .seconds(1)).check(endured)
      #expect(endured.failure?.bluez?.text == "Notify acquired")
      #expect(endured.failure?.meaning.contains("another program") == true)
    }
    simulation.expectRecovered()
  }

  @Test("if another client connects endlessly, ours fails as busy in time and leaves it running")
  func connecting() throws {
    let simulation = try Simulation.bench()
    let attempt = try pendingConnect(simulation)
    let endured = simulation.endure(within: .seconds(60))
    Verdict(.busy, .passing, within: .seconds(60)).check(endured)
    #expect(endured.failure?.hint.contains("takesOver") == true)
    attempt.close()
    simulation.heal()
    try simulation.pass(.seconds(60))
    simulation.expectRecovered()
  }

  @Test("with take-over, another client's attempt is ended, and ours succeeds")
  func takenOver() throws {
    var options = ConnectOptions()
    options.takesOver = true
    let simulation = try Simulation(definition: .bench, options: options)
    let attempt = try pendingConnect(simulation)
    simulation.heal()
    let endured = simulation.endure(within: .seconds(60))
    #expect(endured.error == nil)
    simulation.expectReleased()
    attempt.close()
    simulation.expectNextChain()
  }

  /// A Connect of another program's that takes for ever: the device does not answer it.
  private func pendingConnect(_ simulation: Simulation) throws -> MessageBus {
    // The device becomes known.
    simulation.expectNextChain()
    simulation.device.setNextConnect(.neverAnswer)
    let other = try simulation.bus.connect()
    let call = try simulation.unanswered("Connect")
    // bluetoothd gives up after 40 s, and the other program tries again.
    let loop = simulation.loop
    for second in stride(from: 0, through: 120, by: 1) {
      loop.after(.seconds(second)) { try? other.send(call) }
    }
    try simulation.pass(.milliseconds(50))
    return other
  }
}
