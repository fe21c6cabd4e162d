// Some seeds: `make test` plays 300 with blerun-simtest, and `make test-all` thousands.

import Testing

@testable import SimulatedRuns

@Suite("Worlds from seeds")
struct SeedTests {
  @Test("no rule is broken", arguments: UInt64(0)..<10)
  func clean(_ seed: UInt64) {
    let run = SimulatedRun.play(seed: seed)
    #expect(run.problems == [], "blerun-simtest --seed \(seed)")
    #expect(run.chains > 1)
  }

  @Test(
    "seeds that once broke a rule no longer do",
    arguments: [
      41_010_044, 41_020_257, 41_094_580, 41_126_084, 41_882_465, 83_075_819, 83_113_116,
      83_121_271, 83_155_190, 83_178_789, 91_022_071, 91_231_696, 91_338_952,
      91_401_659, 92_522_904, 92_822_887, 92_994_555, 95_051_982, 98_079_872,
      98_080_902, 98_444_528, 99_547_127, 99_578_762, 99_663_307,
      100_502_098, 101_702_147, 103_508_569, 433, 749, 1_244, 2_089, 2_435,
    ] as [UInt64]
  )
  func found(_ seed: UInt64) {
    #expect(SimulatedRun.play(seed: seed).problems == [], "blerun-simtest --seed \(seed)")
    // The world that revealed most of them.
    let plain = SimulatedRun.play(World(seed: seed, isPlain: true))
    #expect(plain.problems == [], "seed \(seed), plain")
  }

  @Test("a seed reproduces its run message by message", arguments: [3, 58, 1248])
  func repeats(_ seed: UInt64) {
    #expect(SimulatedRun.difference(seed: seed) == nil)
    #expect(!SimulatedRun.play(seed: seed, isRecording: true).timeline.isEmpty)
  }

  @Test("different seeds give different runs")
  func others() {
    let runs = (UInt64(0)..<8).map { SimulatedRun.play(seed: $0, isRecording: true).timeline }
    #expect(Set(runs).count == runs.count)
  }
}
