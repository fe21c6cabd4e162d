// bluetoothd ends, or is killed, and is started again.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: bluetoothd is restarted")
struct DaemonDayTests {
  /// The way in which bluetoothd ends.
  enum Death: String, CaseIterable {
    /// It says goodbye to every object first.
    case terminated
    case killed
  }

  static let verdict = Verdict(.daemonMissing, .unavailable, within: .milliseconds(500))

  @Test(
    "a bluetoothd that restarts during a chain fails the chain", arguments: Death.allCases,
    Stage.allCases)
  func chain(_ death: Death, _ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let successors = Recorded<BlueZSimulator>()
    let blow = simulation.strike(stage) {
      simulation.restart(death, into: successors, after: .seconds(8))
    }
    let endured = simulation.endure(blow)
    switch stage {
    case .disconnecting: #expect(endured.error == nil)
    case .resting:
      Verdict(.daemonMissing, .unavailable, within: .seconds(3)).check(endured)
    default: Self.verdict.check(endured)
    }
    simulation.expectReleased()
    try simulation.pass(.seconds(10))
    #expect(successors.all.count == 1)
    simulation.expectNextChain()
    #expect(successors.all[0].connectedDevices == [])
  }

  @Test(
    "a bluetoothd that restarts at once still fails the chain, and the next chain succeeds",
    arguments: Death.allCases
  )
  func quick(_ death: Death) throws {
    let simulation = try Simulation.bench()
    let successors = Recorded<BlueZSimulator>()
    let blow = simulation.strike(.resting) {
      simulation.restart(death, into: successors, after: .milliseconds(200))
    }
    let endured = simulation.endure(blow)
    Verdict(.daemonMissing, .unavailable, within: .seconds(3)).check(endured)
    simulation.expectRecovered()
  }

  @Test("a bluetoothd that restarts during a scan fails the scan", arguments: Death.allCases)
  func scan(_ death: Death) throws {
    let simulation = try Simulation.bench()
    let successors = Recorded<BlueZSimulator>()
    let blow = simulation.strike(.finding) {
      simulation.restart(death, into: successors, after: .seconds(2))
    }
    let service = simulation.service
    let endured = simulation.endure(service.scan(ScanFilter()).collect(), blow)
    Self.verdict.check(endured)
    try simulation.pass(.seconds(10))
    let heard = service.scan(ScanFilter()).take(1).map { $0.address }
      .firstOrDefault(.init(number: 0), within: .seconds(5))
    #expect(heard.value == simulation.address)
    #expect(simulation.history.last == "scanning off")
    simulation.expectNextChain()
  }

  @Test("a resuming subscription does not wait for a bluetoothd that left the bus")
  func resuming() throws {
    let simulation = try Simulation.bench()
    let successors = Recorded<BlueZSimulator>()
    let blow = simulation.strike(.subscribed) {
      simulation.restart(.killed, into: successors, after: .seconds(5))
    }
    let service = simulation.service
    let options = SubscriptionOptions(onLinkLoss: .resume)
    let chain = service.connect().flattenMap {
      service.subscribe(.stream, options).flattenMap { $0.take(30).collect() }
    }
    Self.verdict.check(simulation.endure(chain, blow))
    try simulation.pass(.seconds(10))
    simulation.expectNextChain()
  }
}

extension Simulation {
  /// Ends bluetoothd, and starts another one some time later.
  func restart(
    _ death: DaemonDayTests.Death, into successors: Recorded<BlueZSimulator>, after delay: Duration
  ) {
    let (dead, bus, loop) = (simulator, bus, loop)
    switch death {
    case .terminated:
      dead.stop()
      dead.bus.close()
    case .killed: dead.crash()
    }
    loop.after(delay) {
      _ = loop.task {
        let next = dead.successor(on: try bus.connect())
        successors.add(next)
        try await next.start()
      }
    }
  }
}
