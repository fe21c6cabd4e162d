// Operations that begin before the faults end and finish afterwards.

import Signals
import SimulatedDevices
import Testing

@testable import SimulatedRuns

@Suite("The end of the faults in a world")
struct HealingTests {
  /// A world with one chain and a bus that stalls for good at the end of the chain.
  private static func world(stalledAt message: Int) -> World {
    var world = World.playing([.connect(keep: false), .read(DeviceDraft.alertLevel), .disconnect])
    world.stall = BusStall(message: message, duration: nil)
    return world
  }

  @Test("a bluetoothd that gives up starting at the moment the faults end is started again")
  func start() {
    var world = Self.world(stalledAt: 20)
    // The time that a start waits for the bus.
    let limit = Duration.seconds(10)
    world.disturbances = [
      TimedDisturbance(
        at: world.healsAt - limit - .seconds(1), disturbance: .fault(.endDaemon(isKilled: true))
      ),
      TimedDisturbance(at: world.healsAt - limit, disturbance: .fault(.startDaemon)),
    ]
    #expect(SimulatedRun.play(world).problems == [])
  }

  @Test(
    "a device that vanishes on a call from before the faults end is brought back", arguments: 8...40
  )
  func vanished(message: Int) {
    var world = Self.world(stalledAt: message)
    let rule = FaultRule(on: .disconnect, action: .vanish)
    let change = WorldAction.device(world.devices[0].address, .rules([rule]))
    world.disturbances = [
      TimedDisturbance(at: world.healsAt - .milliseconds(1), disturbance: .fault(change))
    ]
    #expect(SimulatedRun.play(world).problems == [])
  }
}
