// Values that are longer than an attribute may be, and advertisements of any length.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@testable import SimulatedRuns

@Suite("Oversized values")
struct OversizeTests {
  private static let uuid = DeviceDraft.alertLevel

  /// A world in which one chain with these steps receives one message with such a value.
  private static func world(_ place: Oversize.Place, _ octets: Int, _ step: ChainStep) -> World {
    var world = World.playing([.connect(keep: false), step, .disconnect])
    let values = Oversize(place: place, octets: octets, count: 1)
    world.disturbances = [TimedDisturbance(at: .zero, disturbance: .oversize(values))]
    return world
  }

  @Test(
    "an oversized value is rejected with its length, and nothing else fails",
    arguments: [
      (.read, 513, .read(uuid), "a value of 513 bytes was received"),
      (.read, 70_000, .read(uuid), "a value of 70000 bytes was received"),
      (.notification, 513, exchange, "a value of 513 bytes was received"),
      (.notification, 70_000, exchange, "a value of 70000 bytes was received"),
      (.notification, 200_000, exchange, "an array of 200000 bytes"),
      (.advertisement, 200_000, .scan(.seconds(5)), "an array of 200000 bytes"),
    ] as [(Oversize.Place, Int, ChainStep, String)]
  )
  func refused(place: Oversize.Place, octets: Int, step: ChainStep, words: String) throws {
    let run = SimulatedRun.play(Self.world(place, octets, step), isRecording: true)
    let line = try #require(run.timeline.first { $0.contains("chain 0.0 ended") })
    #expect(line.contains(words), "\(line)")
    #expect(run.problems == [], "\(run.timeline.joined(separator: "\n"))")
  }

  private static let exchange = ChainStep.exchange(uuid, [1, 2], SubscriptionOptions())

  @Test("manufacturer data within the limits of a message is accepted")
  func taken() throws {
    let world = Self.world(.advertisement, 70_000, .scan(.seconds(5)))
    let run = SimulatedRun.play(world, isRecording: true)
    let line = try #require(run.timeline.first { $0.contains("chain 0.0 ended") })
    #expect(line.contains("ended: ok"), "\(line)")
    #expect(run.problems == [])
  }

  @Test("seeds place oversized values in every possible place")
  func drawn() {
    let places = (UInt64(0)..<300).flatMap { World(seed: $0).disturbances }.compactMap { timed in
      if case .oversize(let values) = timed.disturbance { values.place } else { nil }
    }
    #expect(Set(places) == Set(Oversize.Place.allCases))
  }
}
