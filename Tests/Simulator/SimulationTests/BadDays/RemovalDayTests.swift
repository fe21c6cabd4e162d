// Another program removes the device's object.

import BlueZ
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Bad days: the device's object is removed")
struct RemovalDayTests {
  /// Another program's RemoveDevice, which bluetoothd carries out in 2 s where there is a link.
  private func remove(_ simulation: Simulation) throws -> @Sendable () -> Void {
    let other = try simulation.bus.connect()
    let removal = try simulation.removal()
    return { try? other.send(removal) }
  }

  @Test(
    "a device removed while in use fails with link-lost, and the next chain finds it again",
    arguments: Stage.linked)
  func used(_ stage: Stage) throws {
    let simulation = try Simulation.bench()
    // bluetoothd takes 2 s: an answer that comes later is still owed then.
    let slow: [Stage: FaultKind] = [.reading: .read, .writing: .write, .subscribing: .subscribe]
    if let kind = slow[stage] {
      simulation.device.setFaults([FaultRule(on: kind, action: .slow(.seconds(4)))])
    }
    let first: [Stage: Stage] = [.resting: .reading, .subscribed: .subscribing]
    let blow = simulation.strike(first[stage] ?? stage, try remove(simulation))
    let endured = simulation.endure(blow)
    Verdict(.linkLost, .passing, within: .seconds(stage == .resting ? 4 : 3)).check(endured)
    simulation.expectReleased()
    #expect(try simulation.deviceProperty("Connected") == nil)
    simulation.heal()
    simulation.expectNextChain()
    #expect(simulation.history.count { $0 == "scanning on" } == 2)
  }

  @Test(
    "a device removed while connecting is found again and connected",
    arguments: [Stage.connecting, .resolving]
  )
  func connected(_ stage: Stage) throws {
    let simulation = try Simulation.bench()
    let blow = simulation.strike(stage, try remove(simulation))
    #expect(simulation.endure(blow).error == nil)
    #expect(simulation.history.count { $0 == "scanning on" } == 2)
    simulation.expectRecovered()
  }

  @Test("a device removed while disconnecting counts as disconnected")
  func ended() throws {
    let simulation = try Simulation.bench()
    let blow = simulation.strike(.disconnecting, try remove(simulation))
    #expect(simulation.endure(blow).error == nil)
    simulation.expectRecovered()
  }

  @Test("a device removed between two chains is found again by the next chain")
  func between() throws {
    let simulation = try Simulation.bench()
    simulation.expectNextChain()
    try remove(simulation)()
    simulation.expectNextChain()
    #expect(simulation.history.count { $0 == "scanning on" } == 2)
  }
}
