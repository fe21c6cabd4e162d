// The connection to the bus ends: this program's alone, or the whole bus with bluetoothd on it.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: the bus is closed")
struct BusDayTests {
  static let verdict = Verdict(.busLost, .unavailable, within: .milliseconds(500))

  private func check(_ endured: Endured, _ stage: Stage) {
    switch stage {
    // bluetoothd completes a Disconnect it received, even if its reply is lost.
    case .disconnecting: #expect(endured.error == nil)
    case .resting: Verdict(.busLost, .unavailable, within: .seconds(3)).check(endured)
    default: Self.verdict.check(endured)
    }
  }

  /// The client has failed for good; the failure of its next chain says so too.
  private func expectNoMore(_ simulation: Simulation) {
    let again = simulation.endure()
    Self.verdict.check(again, "the next chain of the same client")
    #expect(simulation.scheduler.isIdle)
  }

  @Test(
    "closing the whole bus during a chain ends bluetoothd and its links",
    arguments: Stage.allCases
  )
  func whole(_ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let (bus, simulator, loop) = (simulation.bus, simulation.simulator, simulation.loop)
    let endured = simulation.endure(simulation.strike(stage) { bus.shutDown() })
    check(endured, stage)
    simulation.expectReleased()
    expectNoMore(simulation)
    // A bus and a bluetoothd that are started again, and a client for them.
    let next = LoopbackBus(on: loop)
    let successor = simulator.successor(on: try next.connect())
    let service = try loop.run { [scheduler = simulation.scheduler] in
      try await successor.start()
      return try await BlueZClient.open(bus: try next.connect())
        .service(DeviceDefinition.thermometerAddress, on: scheduler)
    }
    simulation.expectNextChain(on: service)
    next.shutDown()
  }

  @Test(
    "closing this program's connection leaves a record of its link for the next run",
    arguments: Stage.allCases
  )
  func own(_ stage: Stage) throws {
    let ledger = ListedLinks()
    let simulation = try Simulation(definition: .bench, ledger: ledger)
    let ours = simulation.client.bus
    let endured = simulation.endure(simulation.strike(stage) { ours.close() })
    check(endured, stage)
    #expect(simulation.scheduler.isIdle)
    expectNoMore(simulation)
    // bluetoothd keeps a link after its client left; only the ledger says who made it.
    let isHeld = stage != .finding
    #expect(ledger.links.map(\.device) == (isHeld ? [simulation.address] : []))
    let next = try simulation.otherProgram()
    for link in ledger.links {
      let release = next.disconnect().firstOrDefault((), within: .seconds(10))
      #expect(release.error == nil)
      #expect(link.path == simulation.devicePath)
    }
    simulation.expectReleased()
    simulation.expectNextChain(on: next)
  }
}

extension BlueZClient {
  func service(_ device: BluetoothAddress, on scheduler: SerialScheduler) -> BlueZDevice {
    BlueZDevice(client: self, target: .address(device), scheduler: scheduler)
  }
}
