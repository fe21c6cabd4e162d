// A world: devices, programs with their chains, and disturbances, all drawn from one seed.
//
// Data only: the other files of this folder draw it, WorldRun plays it.

import BlueZInterfaces
import BlueZSimulator
import Signals
import SimulatedDevices

struct World: Sendable {
  /// One program on the bus: a client with its own scheduler.
  struct Program: Hashable, Sendable {
    var chains: [ChainPlan]
  }

  let seed: UInt64
  var devices: [DeviceDefinition]
  var settings: SimulatorSettings
  /// The program under test comes first; the others interfere with it.
  var programs: [Program]
  /// In the order of time.
  var disturbances: [TimedDisturbance]
  /// The stall that begins at a message of the first program; nil: none.
  var stall: BusStall?
  /// Draws the batches in which the bus delivers; nil: it delivers one message at a time.
  var batches: SeededGenerator?
  /// When the last fault ends.
  var healsAt: Duration

  /// The label of the faults' generator. A new label would change the world of every seed.
  private static let faultsLabel = "blows"

  /// Draws the world of a seed.
  ///
  /// - Parameter isPlain: Whether to leave out what was added to the worlds last: batches, and drops
  ///   around a resumption.
  init(seed: UInt64, isPlain: Bool = false) {
    self.seed = seed
    let origin = SeededGenerator(seed: seed, name: "world")
    var generator = origin.split("devices")
    let number = [1, 1, 2, 3][Int.random(in: 0..<4, using: &generator)]
    let devices = (0..<number).map { DeviceDraft.draw($0, &generator) }
    self.devices = devices
    settings = SimulatorSettings(version: .debian12)
    var chains = origin.split("chains")
    programs = ChainPlan.drawPrograms(for: devices, &chains)
    var faults = origin.split(Self.faultsLabel)
    let draft = FaultDraft(devices: devices, programs: programs.count)
    disturbances = draft.draw(&faults)
    healsAt = .seconds(Int.random(in: 20...60, using: &faults))
    disturbances.removeAll { [healsAt] in $0.at >= healsAt }
    // Separate generators, so that the rest of a seed's world does not change.
    var bus = origin.split("bus")
    stall = BusStall.draw(&bus)
    var sizes = origin.split("sizes")
    if let values = Oversize.draw(&sizes) {
      let index = disturbances.firstIndex { $0.at > values.at } ?? disturbances.endIndex
      disturbances.insert(values, at: index)
    }
    if isPlain { return }
    var batches = origin.split("batches")
    if batches.hits(2, in: 3) { self.batches = batches }
    var resuming = origin.split("resuming")
    if resuming.hits(1, in: 6) { drawDrops(&resuming) }
  }
}

extension SeededGenerator {
  /// Draws one of `choices`, which must not be empty.
  mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// Draws an event with the probability `chance` in `of`.
  mutating func hits(_ chance: Int, in of: Int) -> Bool {
    Int.random(in: 0..<of, using: &self) < chance
  }

  /// Draws a duration of whole milliseconds.
  mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration {
    .milliseconds(Int.random(in: range, using: &self))
  }
}
