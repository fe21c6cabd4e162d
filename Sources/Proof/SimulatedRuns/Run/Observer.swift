// Where everything that is seen of a run comes together.

import Signals

/// The checkers of a run, and its timeline if that is wanted.
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

  func see(_ sighting: Sighting) {
    let now = loop.now
    let line = isRecording ? "\(Self.text(now)) \(sighting)" : nil
    state.withLock { state in
      if let line { state.timeline.append(line) }
      state.checks.take(sighting, at: now)
    }
  }

  /// Nothing more comes.
  func finish() {
    let now = loop.now
    state.withLock { $0.checks.finish(at: now) }
  }

  var violations: [Violation] { state.withLock { $0.checks.violations } }
  var timeline: [String] { state.withLock { $0.timeline } }
  var chains: Int { state.withLock { $0.checks.chains } }
  var openChains: Int { state.withLock { $0.checks.openChains } }

  /// Seconds with milliseconds.
  static func text(_ instant: Instant) -> String {
    let parts = instant.sinceStart.components
    let milliseconds = parts.attoseconds / 1_000_000_000_000_000
    let fraction = "\(1_000 + milliseconds)".dropFirst()
    return "\(parts.seconds).\(fraction)"
  }
}
