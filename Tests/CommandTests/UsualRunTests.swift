// Runs whose arguments are read without the parser: they mean what the parser finds in them.

import Bluetooth
import Fixtures
import Jobs
import Signals
import Testing

@testable import Program

@Suite("Usual runs", .blocking)
struct UsualRunTests {
  /// Words of command lines: all options that are read without the parser, others, and mistakes.
  static let words = [
    "chain.yaml", "other", "-", "--", "", "run", "--simulate", "--simulate", "d.yaml",
    "--simulate=d.yaml", "-d", "--device", "Lamp", "C0:FF:EE:00:00:01", "C0:FF", "-dLamp", "-e",
    "--steps", "log x", "read battery-level; sleep 1s", "--seed", "7", "-1", "+5", "0x10",
    "18446744073709551616", "--output", "json", "text", "tap", "nonsense", "--quiet", "-q",
    "--exact",
    "--help", "-h", "--version", "--sed", "Simulators/devices", "docs/examples/nordic/suite.xml",
  ]

  /// Options with their values, which random words seldom are.
  static let pairs = [
    ["--simulate", "d.yaml"], ["--simulate", "e.yaml"], ["-e", "log x"], ["--seed", "7"],
    ["-d", "Lamp"], ["--output", "json"], ["--device", "C0:FF:EE:00:00:01"], ["chain.yaml"],
    ["--steps", "sleep 1s"], ["--seed", "+5"], ["--output", "tap"],
  ]

  @Test(
    "what is read without the parser is what the parser reads",
    arguments: 0..<8 as Range<UInt64>
  )
  func same(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var count = 0
    for _ in 0..<600 {
      var arguments = ["run"]
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let isWord = Int.random(in: 0..<6, using: &random) == 0
        arguments +=
          isWord
          ? [Self.words.randomElement(using: &random)!] : Self.pairs.randomElement(using: &random)!
      }
      guard let usual = UsualRun(arguments) else { continue }
      count += 1
      let run = try parsed(arguments)
      var expected = try parsed(["run", "chain.yaml", "--simulate", "d.yaml"])
      expected.chain.files = usual.file.map { [$0] } ?? []
      expected.chain.steps = usual.steps
      expected.chain.named.device = run.chain.named.device
      expected.options.simulate = usual.world.simulate
      expected.options.seed = usual.world.seed
      expected.printing.output = usual.output ?? .text
      #expect("\(run)" == "\(expected)", "seed \(seed): \(arguments)")
      #expect(run.chain.named.target == usual.device, "seed \(seed): \(arguments)")
    }
    #expect(count > 20)
  }

  private func parsed(_ arguments: [String]) throws -> Run {
    let command = try Blerun.parsed(WatchTargets.marked(SuiteOptions.joined(arguments)))
    return try #require(command as? Run, "\(arguments)")
  }

  @Test(
    "usual arguments are read without the parser",
    arguments: [
      "run chain.yaml --simulate d.yaml", "run --simulate d.yaml --simulate e.yaml -e sleep",
      "run chain.yaml --simulate d.yaml --seed 7 --output json -d Lamp",
      "run --simulate d.yaml --steps log --steps log --device Lamp --output junit",
    ]
  )
  func usual(line: String) {
    #expect(UsualRun(line.split(separator: " ").map(String.init)) != nil)
  }

  @Test(
    "other arguments are the parser's",
    arguments: [
      "", "run", "run chain.yaml", "run chain.yaml -d Lamp", "watch --simulate d.yaml chain.yaml",
      "run chain.yaml other.yaml --simulate d.yaml", "run --simulate d.yaml",
      "run chain.yaml --simulate d.yaml -e sleep", "run chain.yaml --simulate d.yaml --help",
      "run chain.yaml --simulate", "run chain.yaml --simulate d.yaml --seed 1 --seed 1",
      "run Simulators/devices --simulate d.yaml", "run suite.xml --simulate d.yaml",
    ]
  )
  func unusual(line: String) {
    #expect(UsualRun(line.split(separator: " ").map(String.init)) == nil)
  }

  @Test(
    "a run prints the same with and without the parser",
    arguments: [
      "docs/examples/thermometer.yaml --simulate Simulators/devices/thermometer.yaml",
      "docs/examples/thermometer.yaml --simulate Simulators/devices/thermometer.yaml --output json",
      "docs/examples/thermometer.yaml --simulate Simulators/devices/thermometer.yaml --output tap",
      "docs/examples/heart-rate.yaml --simulate Simulators/devices/heart-rate.yaml --seed 7",
      "docs/examples/heart-rate.yaml --simulate Simulators/devices/thermometer.yaml",
      "docs/examples/missing.yaml --simulate Simulators/devices/thermometer.yaml",
      "docs/examples/thermometer.yaml --simulate docs/examples/thermometer.yaml",
      "Simulators/devices/lock.yaml --simulate Simulators/devices/lock.yaml",
      "-e rssi --simulate Simulators/devices/lock.yaml --simulate Simulators/devices/tag.yaml",
      "-e nonsense --simulate Simulators/devices/lock.yaml",
    ]
  )
  func printed(line: String) throws {
    let arguments = ["run"] + line.split(separator: " ").map(String.init)
    #expect(UsualRun(arguments) != nil)
    let usual = try RunningProgram(blerun: arguments).end()
    let parsed = try RunningProgram(blerun: arguments + ["--color", "auto"]).end()
    #expect(usual.output == parsed.output && usual.errors == parsed.errors)
    #expect(usual.status == parsed.status)
  }
}
