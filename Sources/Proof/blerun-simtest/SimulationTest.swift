// The command line of the simulation test: a range of seeds, or one seed with its timeline.

import ArgumentParser
import Glibc
import Signals
import SimulatedRuns

/// Runs chains against simulated devices with random faults.
@main
struct SimulationTest: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "blerun-simtest",
    abstract: "Runs chains of the client against a simulated org.bluez on which faults.",
    discussion: """
      Each seed makes a world: devices, programs with chains, and faults. In the end
      everything is healed, and a plain chain has to succeed. A broken rule is reported with
      the seed and the command that repeats it; the exit status is 1 then.
      """
  )

  @Option(help: "How many seeds to run.")
  var seeds: UInt64 = 1_000

  @Option(help: "The first of them.")
  var from: UInt64 = 0

  @Option(help: "Run this seed alone, and print everything that happens in it.")
  var seed: UInt64?

  @Flag(
    help: "Run all seeds whatever fails: print each that breaks a rule, and a count at the end."
  )
  var keepGoing = false

  @Flag(help: "Run simulated fleets of gateways instead.")
  var fleet = false

  @Option(help: "Leave this step of the fleets' protocol out: a rule has to be broken.")
  var omit: String?

  /// One seed in this many is played two more times: the runs must be equal.
  private static let repetition: UInt64 = 64

  func run() throws {
    if fleet {
      let test = FleetTest(omitted: try omit.map(FleetTest.step), write: write)
      if let seed { return try test.run(seed: seed) }
      return try test.run(from..<from + seeds, keepGoing: keepGoing)
    }
    if let seed {
      let result = SimulatedRun.play(seed: seed, isRecording: true)
      for line in result.timeline { write(line) }
      for problem in result.problems { write("seed \(seed): \(problem)") }
      if !result.problems.isEmpty { throw ExitCode(1) }
      return
    }
    try runAll()
  }

  private func runAll() throws {
    let loop = EventLoop()
    let began = loop.now
    var (chains, lasted) = (0, Duration.zero)
    var broken = BrokenRules()
    for seed in from..<from + seeds {
      let result = SimulatedRun.play(seed: seed)
      if seed.isMultiple(of: Self.repetition), let difference = SimulatedRun.difference(seed: seed)
      {
        write("seed \(seed): A simulated run repeats: \(difference)")
        write("repeat with: blerun-simtest --from \(seed) --seeds 1")
        throw ExitCode(1)
      }
      chains += result.chains
      lasted += result.lasted
      if result.problems.isEmpty { continue }
      guard keepGoing else {
        report(seed)
        throw ExitCode(1)
      }
      for problem in result.problems { write("seed \(seed): \(problem)") }
      broken.count(result.problems, seed: seed)
    }
    let took = (loop.now - began) / .seconds(1)
    let rate = Int(Double(chains) / max(took, 0.001))
    write(
      "\(seeds) seeds from \(from): \(chains) chains in \(lasted.components.seconds) s of virtual "
        + "time, \(rate) chains a second"
    )
    for line in broken.lines { write(line) }
    if !broken.lines.isEmpty { throw ExitCode(1) }
  }

  /// Plays a failed seed again, and prints its timeline.
  private func report(_ seed: UInt64) {
    let result = SimulatedRun.play(seed: seed, isRecording: true)
    for line in result.timeline.suffix(40) { write(line) }
    for problem in result.problems { write("seed \(seed): \(problem)") }
    write("repeat with: blerun-simtest --seed \(seed)")
  }

  private func write(_ line: String) {
    var line = line + "\n"
    line.withUTF8 { _ = Glibc.write(1, $0.baseAddress, $0.count) }
  }
}
