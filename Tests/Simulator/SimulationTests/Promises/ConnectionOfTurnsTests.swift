// One connection that several turns use: it lasts until the last of them ends.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import Testing

@Suite("Connections shared by turns")
struct ConnectionOfTurnsTests {
  private let simulation: Simulation
  private let services: [BlueZDevice]

  init() throws {
    simulation = try Simulation()
    let (simulation, loop) = (simulation, simulation.loop)
    services = (0..<2).map { _ in simulation.service(on: SerialScheduler(on: loop)) }
  }

  /// Uses the connection in a turn of its own: from a time on, for so long.
  private func use(
    _ service: BlueZDevice, after begin: Duration, for length: Duration
  ) -> Task<Void, any Error> {
    simulation.loop.task { [loop = simulation.loop] in
      try await loop.sleep(for: begin)
      try await service.scheduler.turn(within: .seconds(60)) {
        try await service.session { Signal.just(true).delay(length) }.run { _ in }
      }
    }
  }

  /// The number of connections so far, and whether one is up.
  private var links: (count: Int, isUp: Bool) {
    (simulation.ledger.links.count, simulation.ledger.isUp)
  }

  @Test(
    "the connection is made once, and ends with the last turn that uses it",
    arguments: [true, false]
  )
  func shared(makerEndsFirst: Bool) throws {
    let lengths: [Duration] =
      makerEndsFirst ? [.seconds(5), .seconds(20)] : [.seconds(20), .seconds(5)]
    let uses = [
      use(services[0], after: .zero, for: lengths[0]),
      use(services[1], after: .seconds(2), for: lengths[1]),
    ]
    try simulation.loop.run { try await uses[makerEndsFirst ? 0 : 1].value }
    #expect(links == (1, true))
    try simulation.loop.run { try await uses[makerEndsFirst ? 1 : 0].value }
    #expect(links == (1, false))
    #expect(simulation.ledger.violations == [])
  }

  @Test("a session inside another part of the turn leaves the connection up")
  func nested() throws {
    let (service, simulation) = (services[0], simulation)
    let chain = service.session {
      service.session { .just(()) }.then { service.session { .just(()) } }
        .then { .just(simulation.ledger.isUp) }
    }
    let isUp = try simulation.loop.run { try await chain.first(within: .seconds(60)) }
    #expect(isUp && links == (1, false))
    let connected = service.connect().then { service.session { .just(()) } }
      .then { .just(simulation.ledger.isUp) }
    #expect(try simulation.loop.run { try await connected.first(within: .seconds(60)) })
    #expect(links == (2, false))
  }

  @Test(
    "a turn that connects while the connection is ending makes a new one",
    arguments: [0, 1, 100, 1_000, 1_990, 2_000, 2_010]
  )
  func whileEnding(milliseconds: Int) throws {
    let first = use(services[0], after: .zero, for: .seconds(5))
    try simulation.loop.run { [loop = simulation.loop] in
      while simulation.ledger.links.isEmpty { try await loop.sleep(for: .milliseconds(10)) }
    }
    let second = use(
      services[1], after: .seconds(5) + .milliseconds(milliseconds), for: .seconds(30)
    )
    try simulation.loop.run { try await first.value }
    try simulation.loop.run { try await second.value }
    #expect(!links.isUp)
    #expect(simulation.ledger.violations == [])
    #expect(services.allSatisfy { $0.scheduler.isIdle })
  }
}
