// Every connection ends in a disconnect: a fault at each step, and every way to end.

import BlueZ
import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("What was connected is disconnected")
struct ReleaseTests {
  /// The ending of a chain that its fault does not end.
  enum Ending: CaseIterable {
    /// Nothing but the limits of bluetoothd and the client.
    case itself
    /// The deadline of the blocking call.
    case deadline
    /// `timeout` within the chain.
    case timeout
    /// The cancellation of every turn.
    case cancellation
    /// The end of the scheduler.
    case shutDown
    /// The cancellation of a turn of blocking code.
    case scheduledCancellation
  }

  static let instants: [Duration] = [
    .milliseconds(400), .seconds(2), .seconds(6),
  ]

  @Test(
    "every connection ends after any fault at any step, however the chain ends",
    arguments: FaultCase.all)
  func release(_ fault: FaultCase) throws {
    try check(fault, .itself, at: .seconds(400))
    for ending in Ending.allCases where ending != .itself {
      for instant in Self.instants { try check(fault, ending, at: instant) }
    }
  }

  /// Runs the chain to its end, which `ending` brings about `instant` after the start.
  private func check(_ fault: FaultCase, _ ending: Ending, at instant: Duration) throws {
    let simulation = try Simulation(faults: [fault.rule])
    let name = "\(fault.testDescription), \(ending) at \(instant)"
    let began = simulation.loop.now
    let error = run(simulation, ending, at: instant)
    let ledger = simulation.ledger
    let took = simulation.loop.now - began

    // The limit of the call, that of the chain's own disconnect, and that of the turn's.
    #expect(took <= instant + .seconds(8 + 10 + 10), "\(name): \(took)")
    #expect(ledger.violations == [], "\(name)")
    #expect(simulation.scheduler.isIdle, "\(name)")
    if ledger.isUp {
      // bluetoothd has not ended the link: the failure says so, and the next chain waits for it.
      #expect(fault.keepsLinkUp, "\(name): \(simulation.history) \(String(describing: error))")
      #expect(error != nil, "\(name)")
    }
    simulation.heal()
    if fault.keepsLinkUp { try checkRefusedChain(simulation, ending, name) }
    try checkNextChain(simulation, ending, name)
  }

  private func run(
    _ simulation: Simulation, _ ending: Ending, at instant: Duration
  ) -> (any Error)? {
    let (scheduler, loop) = (simulation.scheduler, simulation.loop)
    let chain = FaultCase.chain(simulation.service)
    let long = Duration.seconds(400)
    switch ending {
    case .itself: return chain.firstOrDefault([], within: long).error
    case .deadline: return chain.firstOrDefault([], within: instant).error
    case .timeout: return chain.timeout(instant).firstOrDefault([], within: long).error
    case .cancellation:
      let timer = loop.after(instant) { scheduler.cancelAll() }
      defer { timer.cancel() }
      return chain.firstOrDefault([], within: long).error
    case .shutDown:
      let timer = loop.after(instant) { scheduler.shutDown() }
      defer { timer.cancel() }
      return chain.firstOrDefault([], within: long).error
    case .scheduledCancellation:
      let error = Guarded<(any Error)?>(nil)
      let turn = scheduler.schedule {
        let outcome = chain.firstOrDefault([], within: long)
        error.withLock { $0 = outcome.error }
      }
      let timer = loop.after(instant) { turn.cancel() }
      defer { timer.cancel() }
      #expect(throws: Never.self) { try turn.wait() }
      return error.withLock { $0 }
    }
  }

  /// While bluetoothd does not end the link of the last chain, the next does not use it.
  private func checkRefusedChain(
    _ simulation: Simulation, _ ending: Ending, _ name: String
  ) throws {
    let isUp = simulation.ledger.isUp
    let requests = simulation.ledger.links.last?.count
    let service = service(of: simulation, after: ending)
    let next = FaultCase.chain(service).firstOrDefault([], within: .seconds(100))
    if isUp, let failure = next.error as? DeviceFailure {
      #expect(failure.class == .passing, "\(name): \(failure)")
      #expect(simulation.ledger.links.last?.count == requests, "\(name)")
    } else {
      #expect(next.success, "\(name): \(String(describing: next.error))")
    }
    simulation.drain()
  }

  private func service(of simulation: Simulation, after ending: Ending) -> BlueZDevice {
    guard ending == .shutDown else { return simulation.service }
    // A scheduler that was shut down takes no more turns.
    simulation.scheduler.shutDown()
    return simulation.service(on: SerialScheduler(on: simulation.loop))
  }

  private func checkNextChain(_ simulation: Simulation, _ ending: Ending, _ name: String) throws {
    let service = service(of: simulation, after: ending)
    let next = FaultCase.chain(service).firstOrDefault([], within: .seconds(100))
    #expect(next.success, "\(name): the next chain: \(String(describing: next.error))")
    #expect(next.value == [87], "\(name)")
    #expect(!simulation.ledger.isUp, "\(name)")
    simulation.drain()
    #expect(simulation.simulator.connectedDevices == [], "\(name)")
    #expect(simulation.ledger.violations == [], "\(name)")
    #expect(simulation.ledger.scansInLinks == [], "\(name)")
  }
}
