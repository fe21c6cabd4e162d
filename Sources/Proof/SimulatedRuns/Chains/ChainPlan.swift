// One chain of a program: its steps, its start, its limit and its cancellation.
//
// Data only: ChainPlan+Drawing draws it, ChainRun runs it.

import Signals

struct ChainPlan: Hashable, Sendable {
  /// How the program waits for the chain.
  enum Way: String, CaseIterable, Hashable, Sendable {
    /// In a task, with `first(within:)`.
    case awaited
    /// In blocking code in a scheduled turn, with `firstOrDefault`.
    case blocking
    /// In a task; the steps are the body of a `session`.
    case session
  }

  /// The index of its device.
  var device: Int
  /// The request's time after the start of the run.
  var start: Duration
  var way: Way
  /// The limit for the wait for the turn and the work together.
  var limit: Duration
  /// Cancellation, counted from the chain's start; nil: never.
  var cancelledAfter: Duration?
  /// Begins with a connect, except in a session.
  var steps: [ChainStep]
}
