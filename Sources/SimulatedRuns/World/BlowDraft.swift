// What goes wrong in a world, and when, at random.

import BlueZSimulator
import Bluetooth
import Signals
import SimulatedDevices

/// The drawing of what befalls a world.
struct BlowDraft {
  let devices: [DeviceDefinition]
  /// How many programs there are.
  let programs: Int

  /// The blows of a run, in the order of time.
  func draw(_ generator: inout SeededGenerator) -> [TimedBlow] {
    var blows: [TimedBlow] = []
    for _ in 0..<generator.pick([0, 1, 2, 3, 5, 8]) {
      let at = instant(&generator)
      let device = Int.random(in: 0..<devices.count, using: &generator)
      blows.append(TimedBlow(at: at, blow: .loseLink(device)))
    }
    return blows.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// Most blows fall early, where the chains are.
  private func instant(_ generator: inout SeededGenerator) -> Duration {
    generator.milliseconds(0...generator.pick([1_000, 5_000, 15_000, 60_000]))
  }
}
