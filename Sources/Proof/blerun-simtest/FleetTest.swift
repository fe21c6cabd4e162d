// The seeds of simulated fleets: any number of them, or one in full.

import ArgumentParser
import Fleet
import Signals
import SimulatedFleets

/// Runs fleets from seeds, and reports what broke a rule.
struct FleetTest {
  /// One seed in so many is played twice: it has to give the same run.
  private static let repetition: UInt64 = 64

  /// A step of the protocol that is left out.
  let omitted: Omission?
  let write: (String) -> Void

  static func step(_ name: String) throws -> Omission {
    guard let step = Omission(rawValue: name) else {
      let names = Omission.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("unknown step '\(name)': expected one of \(names)")
    }
    return step
  }

  /// Runs one seed, and prints everything that happens in it.
  func run(seed: UInt64) throws {
    let result = SimulatedFleet.play(seed: seed, omitting: omitted, isRecording: true)
    for line in result.timeline { write(line) }
    for violation in result.violations { write("seed \(seed): \(violation)") }
    if !result.violations.isEmpty { throw ExitCode(1) }
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
      if result.violations.isEmpty { continue }
      if keepGoing { for violation in result.violations { write("seed \(seed): \(violation)") } }
      broken.count(result.violations, seed: seed)
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

  /// The option that leaves the step out, for commands that repeat a run.
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
