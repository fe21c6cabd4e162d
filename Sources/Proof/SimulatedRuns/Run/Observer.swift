// Passes every sighting of a run to the checks, and records the timeline.

import Signals

/// The checks of a run, with its timeline if it is recorded.
final class Observer: Sendable {
  struct State {
    var checks: Checks
    var timeline: [String] = []
  }

  private let loop: Loop
  private let isRecording: Bool
  private let state: Guarded<State>

  init(_ world: World, on loop: Loop, isRecording: Bool) {
    self.loop = loop
    self.isRecording = isRecording
    state = Guarded(State(checks: Checks(world)))
  }

  func record(_ sighting: Sighting) {
    let now = loop.now
    let line = isRecording ? "\(Self.text(now)) \(sighting)" : nil
    state.withLock { state in
      if let line { state.timeline.append(line) }
      state.checks.apply(sighting, at: now)
    }
  }

  /// Ends all checks.
  func finish() {
    let now = loop.now
    state.withLock { $0.checks.finish(at: now) }
  }

  var problems: [BrokenRule] { state.withLock { $0.checks.problems } }
  var timeline: [String] { state.withLock { $0.timeline } }
  var chains: Int { state.withLock { $0.checks.chains } }
  var openChains: Int { state.withLock { $0.checks.openChains } }

  /// Seconds with three decimals.
  static func text(_ instant: Instant) -> String {
    let parts = instant.sinceStart.components
    let milliseconds = parts.attoseconds / 1_000_000_000_000_000
    let fraction = "\(1_000 + milliseconds)".dropFirst()
    return "\(parts.seconds).\(fraction)"
  }
}
