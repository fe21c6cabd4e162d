// Seeded fleets with many faults keep the rules; a fleet that omits a protocol step does not.

import Fleet
import SimulatedFleets
import Testing

@Suite("Fleets from seeds")
struct FleetSeedTests {
  // `make test` plays a hundred beside these, and `make test-all` thousands.
  // In the last three, hosts lose their power.
  @Test("no rule is broken", arguments: Array(UInt64(100)..<110) + [113, 133, 153])
  func clean(_ seed: UInt64) {
    let run = SimulatedFleet.play(seed: seed)
    #expect(run.problems == [], "blerun-simtest --fleet --seed \(seed)")
  }

  @Test("seeds that once broke a rule no longer do", arguments: [200_679, 273_979])
  func mended(_ seed: UInt64) {
    #expect(SimulatedFleet.play(seed: seed).problems == [])
  }

  /// Seeds that reach rare situations; they are played first.
  private static let seeds: [Omission: UInt64] = [
    .leaseCheck: 15, .leaseFromSending: 291, .armedReply: 3, .armedCheck: 23, .lateClaimGivenUp: 19,
    .endBeforeRelease: 3, .lostMark: 166, .eventRequest: 22,
  ]

  @Test(
    "omitting any step of the protocol breaks a rule", arguments: Omission.allCases
  )
  func omissions(_ step: Omission) {
    let found = ([Self.seeds[step] ?? 0] + Array(0..<400)).first { seed in
      !SimulatedFleet.play(seed: seed, omitting: step).problems.isEmpty
    }
    #expect(found != nil, "omitting \(step) breaks no rule")
  }

  @Test("a seed reproduces its run line by line", arguments: [3, 57, 1004])
  func repeats(_ seed: UInt64) {
    let first = SimulatedFleet.play(seed: seed, isRecording: true).timeline
    #expect(first == SimulatedFleet.play(seed: seed, isRecording: true).timeline)
    #expect(first.count > 20)
  }

  @Test("jobs end in every state, and at least a third of them succeed")
  func ends() {
    var ends: [EndState: Int] = [:]
    for seed in UInt64(40)..<100 {
      ends.merge(SimulatedFleet.play(seed: seed).ends, uniquingKeysWith: +)
    }
    for state in [EndState.ok, .failed, .cancelled, .unknown, .interrupted, .noGateway] {
      #expect(ends[state, default: 0] > 0, "\(state)")
    }
    #expect(ends[.ok, default: 0] > ends.values.reduce(0, +) / 3, "\(ends)")
  }
}
