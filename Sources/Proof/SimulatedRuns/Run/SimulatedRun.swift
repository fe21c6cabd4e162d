// A run from its seed, and what came of it.

import Signals

/// What a run came to.
public struct SimulatedRun: Sendable {
  /// Where everything in it came from.
  public let seed: UInt64
  /// The rules that were broken, the earliest first, each with where; none is how it should be.
  public let violations: [String]
  /// How many chains were run.
  public let chains: Int
  /// How long it lasted, in virtual time.
  public let lasted: Duration
  /// What was seen, a line each; empty unless it was asked for.
  public let timeline: [String]

  /// Plays the world of a seed twice, and compares what is seen, message by message.
  ///
  /// - Returns: The first difference; nil when there is none, which is how it should be.
  public static func difference(seed: UInt64) -> String? {
    let first = play(seed: seed, isRecording: true).timeline
    let second = play(seed: seed, isRecording: true).timeline
    if first == second { return nil }
    let index = zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset
    guard let index else { return "\(first.count) lines, then \(second.count)" }
    return "line \(index + 1): \(first[index]), then \(second[index])"
  }

  /// Plays the world of a seed until everything is at rest.
  ///
  /// - Parameter isRecording: Whether the timeline is kept.
  public static func play(seed: UInt64, isRecording: Bool = false) -> SimulatedRun {
    play(World(seed: seed), isRecording: isRecording)
  }

  /// Plays a world until everything is at rest.
  static func play(_ world: World, isRecording: Bool = false) -> SimulatedRun {
    let seed = world.seed
    do {
      let run = try WorldRun(world, isRecording: isRecording)
      var violations: [String] = []
      do {
        try run.play()
      } catch {
        violations.append("A run comes to an end: \(error)")
      }
      violations = run.observer.violations.map { "\($0)" } + violations
      return SimulatedRun(
        seed: seed, violations: violations, chains: run.observer.chains,
        lasted: run.loop.now.sinceStart, timeline: run.observer.timeline
      )
    } catch {
      return SimulatedRun(
        seed: seed, violations: ["A run begins: \(error)"], chains: 0, lasted: .zero, timeline: []
      )
    }
  }
}
