// Runs simulated fleets: a range of seeds, or one seed with its timeline.

import ArgumentParser
import Fleet
import Signals
import SimulatedFleets

/// Plays fleets, and reports broken rules.
struct FleetTest {
  /// One seed in this many is played twice: both runs must be equal.
  private static let repetition: UInt64 = 64

  /// The protocol step to omit; nil for none.
  let omitted: Omission?
  let write: (String) -> Void

  static func step(_ name: String) throws -> Omission {
    guard let step = Omission(rawValue: name) else {
      let names = Omission.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("unknown step '\(name)': expected one of \(names)")
    }
    return step
  }

  /// Plays one seed, and prints its timeline.
  func run(seed: UInt64) throws {
    let result = SimulatedFleet.play(seed: seed, omitting: omitted, isRecording: true)
    for line in result.timeline { write(line) }
    for problem in result.problems { write("seed \(seed): \(problem)") }
    if !result.problems.isEmpty { throw ExitCode(1) }
  }

  func run(_ seeds: Range<UInt64>, keepGoing: Bool) throws {
    let loop = EventLoop()
    let began = loop.now
    var lasted = Duration.zero
    var ends: [String: Int] = [:]
    var broken = BrokenRules()
    for seed in seeds {
      let result = SimulatedFleet.play(seed: seed, omitting: omitted)
      lasted += result.lasted
      for (state, count) in result.ends { ends["\(state)", default: 0] += count }
      if seed.isMultiple(of: Self.repetition) { try checkRepetition(seed) }
      if result.problems.isEmpty { continue }
      if keepGoing { for problem in result.problems { write("seed \(seed): \(problem)") } }
      broken.count(result.problems, seed: seed)
      if !keepGoing { break }
    }
    let took = (loop.now - began) / .seconds(1)
    let counted = ends.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.value) \($0.key)" }
    write(
      "\(seeds.count) fleets from seed \(seeds.lowerBound): \(lasted.components.seconds) s of "
        + "virtual time in \(Int(took)) s; jobs: \(counted.joined(separator: ", "))"
    )
    for line in broken.lines { write(line) }
    if let seed = broken.firstSeed {
      write("repeat with: blerun-simtest --fleet --seed \(seed)\(omission)")
      throw ExitCode(1)
    }
  }

  /// The option that omits the step, for the printed command that repeats a run.
  private var omission: String { omitted.map { " --omit \($0.rawValue)" } ?? "" }

  private func checkRepetition(_ seed: UInt64) throws {
    let first = SimulatedFleet.play(seed: seed, omitting: omitted, isRecording: true).timeline
    let second = SimulatedFleet.play(seed: seed, omitting: omitted, isRecording: true).timeline
    guard first != second else { return }
    write("seed \(seed): A simulated run repeats: two runs of the fleet differ")
    write("repeat with: blerun-simtest --fleet --from \(seed) --seeds 1\(omission)")
    throw ExitCode(1)
  }
}
