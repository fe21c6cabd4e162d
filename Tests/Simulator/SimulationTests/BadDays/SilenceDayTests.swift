// Calls that bluetoothd never answers, and devices that never answer it.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: no answer")
struct SilenceDayTests {
  /// The calls of the chain of all stages.
  static let calls = [
    "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "ReadValue", "WriteValue",
    "StartNotify", "StopNotify", "Disconnect",
  ]

  @Test(
    "a call that is never answered ends with timed-out at the deadline", arguments: calls,
    [CallTreatment.ignore, .loseAnswer]
  )
  func call(_ member: String, _ treatment: CallTreatment) throws {
    let simulation = try Simulation.bench()
    let simulator = simulation.simulator
    simulator.treatCalls { $0.member == member ? treatment : .take }
    let limit = Duration.seconds(20)
    let endured = simulation.endure(within: limit)
    let isSeen = member == "Disconnect" && treatment == .loseAnswer
    if isSeen {
      #expect(endured.error == nil)
      #expect(endured.took < .seconds(10))
    } else {
      // The longest clean-up: a Disconnect without an answer, once more at the turn's end.
      Verdict(.timedOut, .passing, within: limit + .seconds(8 + 10)).check(endured)
    }
    if member == "Disconnect", treatment == .ignore {
      // The link cannot be ended now: it is reported, and ended once bluetoothd handles calls.
      #expect(simulation.ledger.isUp)
    } else {
      simulation.expectReleased()
    }
    simulator.treatCalls { _ in .take }
    simulation.expectNextChain()
  }

  @Test(
    "a scan whose start is never answered fails with that call, even after the scan's own limit",
    arguments: ["SetDiscoveryFilter", "StartDiscovery"]
  )
  func scan(_ member: String) throws {
    let simulation = try Simulation.bench()
    simulation.simulator.treatCalls { $0.member == member ? .ignore : .take }
    let over = Signal.just(()).delay(.seconds(2))
    let scan = simulation.service.startScan(ScanFilter()).flattenMap { $0.takeUntil(over) }
      .then { Signal.just(()) }
    let endured = simulation.endure(scan)
    #expect((endured.error as? TimedOut)?.operation.contains(member) == true, "\(endured)")
    simulation.simulator.treatCalls { _ in .take }
    #expect(simulation.endure(scan).error == nil)
    simulation.expectNextChain()
  }

  @Test(
    "an unanswered call of another step ends at the deadline too",
    arguments: ["AcquireNotify", "AcquireWrite", "RemoveDevice", "Pair", "RegisterAgent"]
  )
  func step(_ member: String) throws {
    let simulation = try Simulation(definition: .bench)
    simulation.expectNextChain()
    simulation.simulator.treatCalls { $0.member == member ? .ignore : .take }
    let service = simulation.service
    let chain: Signal<Void>
    switch member {
    case "AcquireNotify":
      chain = service.subscribe(.stream, SubscriptionOptions(delivery: .acquire)).map { _ in }
    case "AcquireWrite": chain = service.acquireWriter(.sink).map { _ in }
    case "RemoveDevice": chain = service.unpair()
    default: chain = service.pair(PairingAnswers()).map { _ in }
    }
    let endured = simulation.endure(service.connect().flattenMap { chain }, within: .seconds(5))
    Verdict(.timedOut, .passing, within: .seconds(5 + 10)).check(endured)
    simulation.expectReleased()
    simulation.simulator.treatCalls { _ in .take }
    simulation.expectNextChain()
  }

  @Test("while bluetoothd answers nothing, each chain ends in time, and succeeds afterwards")
  func everything() throws {
    let simulation = try Simulation.bench()
    simulation.simulator.treatCalls { _ in .ignore }
    for _ in 0..<2 {
      let endured = simulation.endure(within: .seconds(5))
      Verdict(.timedOut, .passing, within: .seconds(5 + 8)).check(endured)
      simulation.expectReleased()
    }
    simulation.simulator.treatCalls { _ in .take }
    simulation.expectNextChain()
  }

  @Test(
    "an ATT transaction timeout drops the link: link-lost after 30 s",
    arguments: [Stage.reading, .writing, .subscribing]
  )
  func transaction(_ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let kind: FaultKind = [.reading: .read, .writing: .write][stage] ?? .subscribe
    simulation.device.setFaults([FaultRule(on: kind, action: .neverAnswer)])
    let blow = simulation.strike(stage) {}
    let endured = simulation.endure(blow)
    Verdict(.linkLost, .passing, within: .seconds(31)).check(endured)
    #expect(try #require(endured.tookAfterBlow) > .seconds(29))
    #expect(endured.failure?.meaning.contains("did not respond within 30 s") == true)
    simulation.expectReleased()
    let short = simulation.endure(within: .seconds(10))
    Verdict(.timedOut, .passing, within: .seconds(10 + 3)).check(short)
    simulation.expectReleased()
    simulation.heal()
    simulation.expectNextChain()
  }

  @Test("an unanswered Disconnect that does not end the link is reported as such")
  func disconnect() throws {
    let simulation = try Simulation.bench()
    let simulator = simulation.simulator
    simulator.treatCalls { $0.member == "Disconnect" ? .ignore : .take }
    let endured = simulation.endure()
    #expect(endured.failure?.operation == "disconnecting")
    Verdict(.timedOut, .passing, within: .seconds(9 + 8 + 10)).check(endured)
    // The next chain does not use the link that should have ended.
    let next = simulation.endure()
    #expect(next.failure?.meaning == "bluetoothd did not end the link")
    #expect(simulation.ledger.links.count == 1)
    simulator.treatCalls { _ in .take }
    simulation.expectNextChain()
    #expect(simulation.ledger.links.count == 2)
  }
}
