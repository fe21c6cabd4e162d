// Plays the world of a seed, and reports the broken rules.

import Signals

/// The result of one run.
public struct SimulatedRun: Sendable {
  /// The seed that the world was drawn from.
  public let seed: UInt64
  /// The broken rules, the earliest first, each with the place; empty for a correct run.
  public let problems: [String]
  /// The number of chains that ran.
  public let chains: Int
  /// The virtual duration of the run.
  public let lasted: Duration
  /// The timeline, one sighting a line; empty unless recorded.
  public let timeline: [String]

  /// Plays the world of a seed twice, and compares the timelines.
  ///
  /// - Returns: The first difference; nil if the runs are identical, as they should be.
  public static func difference(seed: UInt64) -> String? {
    let first = play(seed: seed, isRecording: true).timeline
    let second = play(seed: seed, isRecording: true).timeline
    if first == second { return nil }
    let index = zip(first, second).enumerated().first { $1.0 != $1.1 }?.offset
    guard let index else { return "\(first.count) lines, then \(second.count)" }
    return "line \(index + 1): \(first[index]), then \(second[index])"
  }

  /// Plays the world of a seed until no events remain.
  ///
  /// - Parameter isRecording: Whether to record the timeline.
  public static func play(seed: UInt64, isRecording: Bool = false) -> SimulatedRun {
    play(World(seed: seed), isRecording: isRecording)
  }

  /// Plays a world until no events remain.
  static func play(_ world: World, isRecording: Bool = false) -> SimulatedRun {
    let seed = world.seed
    do {
      let run = try WorldRun(world, isRecording: isRecording)
      var problems: [String] = []
      do {
        try run.play()
      } catch {
        problems.append("A run comes to an end: \(error)")
      }
      problems = run.observer.problems.map { "\($0)" } + problems
      return SimulatedRun(
        seed: seed, problems: problems, chains: run.observer.chains,
        lasted: run.loop.now.sinceStart, timeline: run.observer.timeline
      )
    } catch {
      return SimulatedRun(
        seed: seed, problems: ["A run begins: \(error)"], chains: 0, lasted: .zero, timeline: []
      )
    }
  }
}
