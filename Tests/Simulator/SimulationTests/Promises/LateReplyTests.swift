// Calls answered after their caller timed out or was cancelled are undone.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Late replies are undone")
struct LateReplyTests {
  static let echo = CharacteristicSelector(characteristic: .alertLevel)

  /// A bluetoothd that takes up the calls of one member late, and all others at once.
  private func slow(_ member: String, by delay: Duration) throws -> Simulation {
    try Simulation(hold: { $0.member == member ? delay : .zero })
  }

  @Test("a Connect that is handled after its undo is disconnected as well")
  func connect() throws {
    let simulation = try slow("Connect", by: .seconds(20))
    let outcome = simulation.service.connect().firstOrDefault((), within: .seconds(5))
    #expect((outcome.error as? DeviceFailure)?.code == .timedOut)
    #expect(simulation.simulator.connectedDevices == [])
    simulation.drain()
    // It came up, late, and was ended.
    #expect(simulation.ledger.links == [[]])
    #expect(!simulation.ledger.isUp)
    #expect(simulation.ledger.violations == [])
  }

  @Test("a Connect that is answered during its undo does not outlive the turn")
  func connectMeetsUndo() throws {
    let undone = Duration.seconds(3)
    let simulation = try Simulation(hold: { message in
      switch message.member {
      case "Connect": .seconds(6)
      case "Disconnect": undone
      default: .zero
      }
    })
    let began = simulation.loop.now
    let outcome = simulation.service.connect().firstOrDefault((), within: .seconds(5))
    #expect(!outcome.success)
    #expect(simulation.simulator.connectedDevices == [])
    #expect(simulation.ledger.links == [[]])
    // The turn ended no sooner than the answer to the undo: what was held, then bluetoothd's 2 s.
    #expect(simulation.loop.now - began >= .seconds(5) + undone + .seconds(2))
    #expect(simulation.scheduler.isIdle)
  }

  @Test("the turn waits for the reply to its undo, but no longer than the undo's limit")
  func undoIsAwaited() throws {
    for (held, isAnswered) in [(3, true), (7, true), (100, false)] {
      let simulation = try Simulation(hold: { message in
        switch message.member {
        case "Connect": nil
        case "Disconnect": .seconds(held)
        default: .zero
        }
      })
      let began = simulation.loop.now
      let next = Guarded<Duration?>(nil)
      let (service, loop) = (simulation.service, simulation.loop)
      simulation.scheduler.schedule {
        _ = service.connect().firstOrDefault((), within: .seconds(5))
      }
      simulation.scheduler.schedule { next.withLock { $0 = loop.now - began } }
      try simulation.scheduler.waitUntilIdle()
      let took = try #require(next.withLock { $0 })
      if isAnswered {
        #expect(took == .seconds(5 + held) || took == .seconds(5 + held) + .seconds(2))
      } else {
        // The undo's limit of 8 s, then the turn's of 10 s.
        #expect(took > .seconds(5 + 8))
        #expect(took <= .seconds(5 + 8 + 10))
      }
    }
  }

  @Test("a StartNotify that is answered late is stopped")
  func startNotify() throws {
    for held in [2, 5, 30] {
      let simulation = try slow("StartNotify", by: .seconds(held))
      let service = simulation.service
      let connected = service.connect(keep: true, expecting: [])
        .firstOrDefault(.found, within: .seconds(20))
      #expect(connected.error == nil)
      let outcome = service.notifications(Self.echo).map { $0.value }
        .firstOrDefault([], within: .seconds(1))
      #expect((outcome.error as? DeviceFailure)?.code == .timedOut)
      simulation.drain()
      let link = try #require(simulation.ledger.links.last)
      let address = simulation.device.definition.address
      #expect(
        link == [.subscribed(address, .alertLevel), .unsubscribed(address, .alertLevel)],
        "held \(held) s"
      )
      #expect(simulation.ledger.isUp)
    }
  }

  @Test("a StartDiscovery that is answered late is stopped")
  func startDiscovery() throws {
    for held in [2, 5, 30] {
      let simulation = try slow("StartDiscovery", by: .seconds(held))
      let outcome = simulation.service.connect().firstOrDefault((), within: .seconds(1))
      #expect((outcome.error as? DeviceFailure)?.code == .timedOut)
      simulation.drain()
      #expect(simulation.history == ["scanning on", "scanning off"], "held \(held) s")
    }
  }

  @Test("a deadline at the instant of a reply leaves nothing behind")
  func deadlineMeetsAnswer() throws {
    let link = DeviceDefinition.thermometer.link
    let delays: [(String, Duration)] = [
      ("SetDiscoveryFilter", .zero), ("StartDiscovery", .zero), ("StopDiscovery", .zero),
      ("Connect", link.connectTime), ("StartNotify", link.latency), ("StopNotify", .zero),
      ("ReadValue", link.latency), ("WriteValue", link.latency), ("Disconnect", .seconds(2)),
    ]
    for (member, delay) in delays {
      for offset in -2...2 {
        let instant = .seconds(1) + delay + .nanoseconds(offset)
        try meet(member, at: instant, isCancelledFirst: true)
        try meet(member, at: instant, isCancelledFirst: false)
      }
    }
  }

  /// Takes a call up after one second, and cancels the turn `instant` after it was made.
  ///
  /// - Parameter isCancelledFirst: Which comes first when both are at the same instant.
  private func meet(_ member: String, at instant: Duration, isCancelledFirst: Bool) throws {
    struct Cancelling { var cancel: (@Sendable () -> Void)? }
    let cancelling = Guarded(Cancelling())
    let isMet = Guarded(false)
    let simulation = try Simulation(hold: { message in
      let isFirst = isMet.withLock { isMet in
        guard message.member == member, !isMet else { return false }
        isMet = true
        return true
      }
      guard isFirst else { return .zero }
      cancelling.withLock { $0.cancel }?()
      return .seconds(1)
    })
    let (scheduler, loop) = (simulation.scheduler, simulation.loop)
    cancelling.withLock {
      $0.cancel = {
        if isCancelledFirst {
          loop.after(instant) { scheduler.cancelAll() }
        } else {
          // Timers due at the same instant fire in the order they were armed.
          loop.after(instant - .nanoseconds(1)) {
            loop.after(.nanoseconds(1)) { scheduler.cancelAll() }
          }
        }
      }
    }
    let outcome = FaultCase.chain(simulation.service).firstOrDefault([], within: .seconds(60))
    let name = "\(member) at \(instant), \(isCancelledFirst): \(simulation.history)"
    #expect(isMet.withLock { $0 }, "\(name)")
    #expect(simulation.simulator.connectedDevices == [], "\(name)")
    #expect(!outcome.success || member.hasPrefix("Stop") || member == "Disconnect", "\(name)")
    simulation.drain()
    #expect(simulation.history.last != "scanning on", "\(name)")
    let next = FaultCase.chain(simulation.service).firstOrDefault([], within: .seconds(60))
    #expect(next.success, "\(name)")
    simulation.drain()
    #expect(simulation.ledger.violations == [], "\(name)")
    #expect(simulation.simulator.connectedDevices == [], "\(name)")
    let scans = simulation.history.filter { $0.hasPrefix("scanning") }
    #expect(scans.count.isMultiple(of: 2), "\(name)")
  }

  @Test("a deadline at every other millisecond of a chain leaves nothing behind")
  func everyOtherMillisecond() throws {
    for limit in stride(from: 0, to: 400, by: 2) {
      let simulation = try Simulation()
      let chain = FaultCase.chain(simulation.service)
      _ = chain.firstOrDefault([], within: .milliseconds(limit))
      #expect(simulation.simulator.connectedDevices == [], "within \(limit) ms")
      simulation.drain()
      #expect(chain.firstOrDefault([], within: .seconds(20)).success, "within \(limit) ms")
      simulation.drain()
      #expect(simulation.ledger.violations == [], "within \(limit) ms")
      #expect(simulation.history.last?.hasSuffix("link down") == true, "within \(limit) ms")
    }
  }
}
