// The adapter is switched off, pulled out, or comes back under another number.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: the adapter")
struct AdapterDayTests {
  /// The fault of the adapter.
  enum Fate: String, CaseIterable {
    case off, unplugged
    /// Pulled out, and back as hci1 a moment later.
    case renumbered

    var verdict: Verdict {
      let code: DeviceFailure.Code = self == .off ? .adapterOff : .adapterMissing
      return Verdict(code, .unavailable, within: .milliseconds(500))
    }

    func befall(_ simulation: Simulation) {
      let (simulator, loop) = (simulation.simulator, simulation.loop)
      switch self {
      case .off: simulator.setPowered(false)
      case .unplugged: simulator.unplug()
      case .renumbered:
        simulator.unplug()
        loop.after(.milliseconds(600)) { simulator.plugIn(as: 1) }
      }
    }

    func heal(_ simulation: Simulation) {
      switch self {
      case .off: simulation.simulator.setPowered(true)
      case .unplugged: simulation.simulator.plugIn()
      case .renumbered: break
      }
    }
  }

  @Test("an adapter fault during a chain fails the chain", arguments: Fate.allCases, Stage.allCases)
  func chain(_ fate: Fate, _ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let endured = simulation.endure(simulation.strike(stage) { fate.befall(simulation) })
    let verdict = fate.verdict
    switch stage {
    // That is the end of the link, which was wanted.
    case .disconnecting: #expect(endured.error == nil)
    case .resting: Verdict(verdict.code, verdict.class, within: .seconds(3)).check(endured)
    default: verdict.check(endured)
    }
    simulation.expectReleased()
    try simulation.pass(.seconds(1))
    fate.heal(simulation)
    simulation.expectNextChain()
  }

  @Test("an adapter fault during a scan fails the scan", arguments: Fate.allCases)
  func scan(_ fate: Fate) throws {
    let simulation = try Simulation.bench()
    let service = simulation.service
    let blow = simulation.strike(.finding) { fate.befall(simulation) }
    fate.verdict.check(simulation.endure(service.scan(ScanFilter()).collect(), blow))
    try simulation.pass(.seconds(1))
    fate.heal(simulation)
    let heard = service.scan(ScanFilter()).take(1).map { Optional($0.address) }
      .firstOrDefault(nil, within: .seconds(5))
    #expect(heard.value == simulation.address)
    #expect(simulation.history.last == "scanning off")
    simulation.expectNextChain()
  }

  @Test(
    "until the adapter returns, each chain fails at once with the reason",
    arguments: [Fate.off, .unplugged])
  func meanwhile(_ fate: Fate) throws {
    let simulation = try Simulation.bench()
    fate.befall(simulation)
    for _ in 0..<3 { fate.verdict.check(simulation.endure()) }
    simulation.expectReleased()
    fate.heal(simulation)
    simulation.expectNextChain()
  }

  @Test("an adapter selected by address is found under another index; one selected by name is not")
  func selectors() throws {
    let simulation = try Simulation.bench()
    let address = try #require(simulation.service.client.adapterFacts.first?.address)
    simulation.expectNextChain()
    Fate.renumbered.befall(simulation)
    try simulation.pass(.seconds(1))
    simulation.expectNextChain(on: simulation.service(on: .address(address)))
    let endured = simulation.endure(Stage.chain(simulation.service(on: .name("hci0"))))
    Verdict(.adapterMissing, .unavailable, within: .zero).check(endured)
    #expect(endured.failure?.meaning == "unknown adapter hci0; bluetoothd has hci1 (\(address))")
  }

  @Test(
    "with waiting for the adapter enabled, a chain without a link continues when it returns",
    arguments: Fate.allCases, [Stage.finding, .connecting, .resolving]
  )
  func waited(_ fate: Fate, _ stage: Stage) throws {
    var options = ConnectOptions()
    options.adapterWait = .seconds(10)
    let simulation = try Simulation(definition: .bench, options: options)
    let blow = simulation.strike(stage) {
      fate.befall(simulation)
      simulation.loop.after(.seconds(2)) { fate.heal(simulation) }
    }
    let endured = simulation.endure(blow)
    // A search runs on one adapter, and fails with it.
    if stage == .finding { fate.verdict.check(endured) } else { #expect(endured.error == nil) }
    simulation.expectReleased()
    try simulation.pass(.seconds(3))
    simulation.expectNextChain()
  }
}

extension Simulation {
  /// A service for the device on the selected adapter.
  func service(on adapter: AdapterSelector) -> BlueZDevice {
    BlueZDevice(
      client: service.client, target: service.target, adapter: adapter, scheduler: scheduler
    )
  }
}
