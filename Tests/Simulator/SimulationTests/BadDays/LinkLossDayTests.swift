// The link is lost, in every state that it can be in.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: the link is lost")
struct LinkLossDayTests {
  @Test(
    "a link that drops while in use fails the chain with link-lost at once", arguments: Stage.linked
  )
  func used(_ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    let blow = simulation.strike(stage) { simulator.loseLink(address) }
    let endured = simulation.endure(blow)
    // While the chain rests, no step is pending: the next step reports the loss.
    let limit = stage == .resting ? Duration.seconds(3) : .milliseconds(500)
    Verdict(.linkLost, .passing, within: limit).check(endured)
    simulation.expectRecovered()
  }

  @Test(
    "a link that drops once while connecting is made by another attempt",
    arguments: [FaultKind.connect, .discover],
    [OperationFault.loseLinkBefore, .loseLinkAfter]
  )
  func madeAgain(_ kind: FaultKind, _ action: OperationFault) throws {
    let simulation = try Simulation.bench()
    simulation.device.setFaults([FaultRule(on: kind, occurrence: .nth(1), action: action)])
    let endured = simulation.endure()
    #expect(endured.error == nil)
    simulation.expectRecovered()
  }

  @Test(
    "a link that drops on every attempt fails with the number of attempts",
    arguments: [FaultKind.connect, .discover], [OperationFault.loseLinkBefore, .loseLinkAfter]
  )
  func neverMade(_ kind: FaultKind, _ action: OperationFault) throws {
    let simulation = try Simulation.bench()
    simulation.device.setFaults([FaultRule(on: kind, action: action)])
    let endured = simulation.endure()
    Verdict(.connectFailed, .passing, within: .seconds(20)).check(endured)
    #expect(endured.failure?.meaning.hasSuffix("after 5 attempts") == true)
    simulation.expectReleased()
    simulation.heal()
    simulation.expectNextChain()
  }

  /// The moment at which a found device disappears.
  enum Going: CaseIterable {
    case beforeConnect, whileConnecting
  }

  @Test(
    "a device that disappears before it connects fails with connect-failed in time",
    arguments: Going.allCases
  )
  func found(_ going: Going) throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    switch going {
    case .whileConnecting: _ = simulation.strike(.connecting) { simulator.vanish(address) }
    case .beforeConnect:
      simulator.treatCalls { call in
        if call.member == "StopDiscovery" { simulator.vanish(address) }
        return .take
      }
    }
    let endured = simulation.endure(within: .seconds(60))
    // bluetoothd tries for 40 s; the second attempt is cut off by the deadline, and disconnected.
    Verdict(.connectFailed, .passing, within: .seconds(60 + 8)).check(endured)
    #expect(endured.failure?.bluez?.text == "le-connection-abort-by-local")
    simulation.expectReleased()
    simulation.heal()
    simulation.expectNextChain()
  }

  @Test("a link that drops during pairing is a transient pairing-failed")
  func pairing() throws {
    let simulation = try Simulation(definition: .pairing(.passkeyEntry, passkey: 5))
    let (simulator, address, service) = (
      simulation.simulator, simulation.address, simulation.service
    )
    let answers = PairingAnswers(ask: { _, answer in
      simulator.loseLink(address)
      return {}
    })
    let endured = simulation.endure(service.connect().flattenMap { service.pair(answers) })
    Verdict(.pairingFailed, .passing, within: .seconds(2)).check(endured)
    simulation.expectReleased()
    let next = simulation.endure(service.connect().flattenMap { service.read(.plain) })
    #expect(next.error == nil)
    simulation.expectReleased()
  }

  @Test("a link that drops during Disconnect is not a failure")
  func ended() throws {
    let simulation = try Simulation.bench()
    let (simulator, address) = (simulation.simulator, simulation.address)
    let blow = simulation.strike(.disconnecting) { simulator.loseLink(address) }
    let endured = simulation.endure(blow)
    #expect(endured.error == nil)
    #expect(try #require(endured.tookAfterBlow) < .seconds(1))
    simulation.expectRecovered()
  }
}
