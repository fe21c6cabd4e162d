// A bus that stalls: at each message of a program, for a while and for good.

import BlueZSimulator
import Bluetooth
import Fixtures
import Signals
import SimulatedDevices
import Testing

@testable import SimulatedRuns

@Suite("A bus that stalls")
struct StallTests {
  /// A program whose chain makes every kind of call with one of the deliveries, in a world without
  /// faults.
  private static func world(
    _ stall: BusStall, _ delivery: SubscriptionOptions.Delivery = .signals
  ) -> World {
    let uuid = DeviceDraft.alertLevel
    var world = World.playing([
      .scan(.seconds(1)), .connect(keep: false), .read(uuid), .write(uuid, [1, 2], .request),
      .exchange(uuid, [3, 4], SubscriptionOptions(delivery: delivery)), .disconnect,
    ])
    world.stall = stall
    return world
  }

  @Test(
    "a run ends within its deadlines, whichever message the bus stalls at",
    arguments: sampled(0...40),
    [4, 20, nil] as [Int?]
  )
  func ends(message: Int, seconds: Int?) {
    let stall = BusStall(message: message, duration: seconds.map { .seconds($0) })
    let run = SimulatedRun.play(Self.world(stall), isRecording: true)
    #expect(run.problems == [], "\(run.timeline.joined(separator: "\n"))")
  }

  @Test("a connect that fails while the bus stalls reports a connection that may still come up")
  func abandoned() throws {
    var world = World.playing([.within(.milliseconds(500), .connect(keep: false))])
    world.devices[0].advertisement.interval = .milliseconds(100)
    world.devices[0].link.connectTime = .seconds(1)
    let runs = (0...40).lazy.map { message in
      world.stall = BusStall(message: message, duration: nil)
      return SimulatedRun.play(world, isRecording: true)
    }
    // The reply to Connect is on its way.
    let run = try #require(
      runs.first { run in
        run.timeline.indices.dropFirst().contains {
          run.timeline[$0].hasSuffix("FAULT: the bus stalls")
            && run.timeline[$0 - 1].contains(".Disconnect()")
        }
      }
    )
    #expect(run.problems == [])
    let ending = try #require(run.timeline.first { $0.contains("chain 0.0 ended") })
    #expect(ending.contains("bluetoothd did not end the link"), "\(ending)")
  }

  @Test("the tested stalls cover every kind of call, starting with the first message")
  func calls() {
    let kinds = [
      "AddMatch", "GetNameOwner", "GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery",
      "StopDiscovery", "Connect", "ReadValue", "WriteValue", "StartNotify", "StopNotify",
      "AcquireNotify", "Disconnect",
    ]
    var met: Set<String> = []
    for (message, delivery) in (1...40).flatMap({ [($0, .signals), ($0, .acquire)] })
      as [(Int, SubscriptionOptions.Delivery)]
    {
      let stall = BusStall(message: message, duration: .seconds(4))
      let timeline = SimulatedRun.play(Self.world(stall, delivery), isRecording: true).timeline
      guard let index = timeline.firstIndex(where: { $0.contains("FAULT: the bus stalls") }) else {
        continue
      }
      for kind in kinds where timeline[index - 1].contains(".\(kind)") { met.insert(kind) }
    }
    #expect(met == Set(kinds))
  }

  @Test("a chain that fails because the bus stalls for good names the deadline that passed")
  func named() throws {
    let endings = try (20...24).map { message in
      let stall = BusStall(message: message, duration: nil)
      let timeline = SimulatedRun.play(Self.world(stall), isRecording: true).timeline
      return try #require(timeline.first { $0.contains("chain 0.0 ended") })
    }
    // An operation without its own deadline continues when the bus does.
    let failures = endings.filter { !$0.hasSuffix("ended: ok") }
    #expect(!failures.isEmpty)
    #expect(failures.allSatisfy { $0.contains("within") }, "\(failures)")
  }

  @Test("a bluetoothd that cannot start because the bus stalls is started again")
  func restart() {
    var world = Self.world(BusStall(message: 20, duration: nil))
    world.disturbances = NamedFault.daemonCrash.actions(for: .seconds(2)).map {
      TimedDisturbance(at: .seconds(5) + $0.delay, disturbance: .fault($0.action))
    }
    #expect(SimulatedRun.play(world).problems == [])
  }

  @Test("seeds stall the bus at the start of a program and later, for a while and for good")
  func drawn() {
    let stalls = (UInt64(0)..<600).compactMap { World(seed: $0).stall }
    #expect((50..<200).contains(stalls.count))
    #expect(Set(stalls.map(\.message)).isSuperset(of: 0...8))
    #expect(stalls.contains { $0.duration == nil } && stalls.contains { $0.duration != nil })
  }
}
