// A chain of a program: what it does, when, and how it is ended.
//
// Data only; ChainPlan+Drawing draws it, ChainRun runs it.

import Signals

/// One chain.
struct ChainPlan: Hashable, Sendable {
  /// Who waits for it.
  enum Way: String, CaseIterable, Hashable, Sendable {
    /// A task: `first(within:)`.
    case awaited
    /// Blocking code in a scheduled turn: `firstOrDefault`.
    case blocking
    /// A task, and the steps are the body of a `session`.
    case session
  }

  /// The number of its device.
  var device: Int
  /// When it is asked for, since the start of the run.
  var start: Duration
  var way: Way
  /// The wait for the turn and the work together.
  var limit: Duration
  /// When it is cancelled, after its start; nil: never.
  var cancelledAfter: Duration?
  /// Begins with a connect, but in a session.
  var steps: [ChainStep]
}
