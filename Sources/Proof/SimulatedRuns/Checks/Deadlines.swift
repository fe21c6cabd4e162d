// Promise 4: every wait has a deadline.

import Signals

/// Watches how long chains take from being asked for, or cancelled, to their end.
struct Deadlines: Check {
  /// The clean-ups that may follow one another: a step's own, the undo of a Connect, and what the
  /// turn owns.
  static let cleanUp = Duration.seconds(10 + 8 + 10)

  private struct Chain {
    let plan: ChainPlan
    /// Where the limit counts from; nil: it does not yet.
    var from: Instant?
    var cancelled: Instant?
    var isOver = false
  }

  private(set) var violations: [Violation] = []
  private var chains: [ChainID: Chain] = [:]

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .asked(let id, let plan):
      // The wait for a turn of blocking code has no limit: whoever schedules does not wait.
      chains[id] = Chain(plan: plan, from: plan.way == .blocking ? nil : now)
    case .turnBegan(let id): if chains[id]?.from == nil { chains[id]?.from = now }
    case .cancelled(let id): chains[id]?.cancelled = now
    case .ended(let id, _):
      guard let chain = chains[id] else { return }
      chains[id] = nil
      if let from = chain.from, now - from > chain.plan.limit + Self.cleanUp {
        complain("A chain ends within its deadline and its clean-ups", "\(id)", now - from, now)
      }
      // The limit of a cancelled chain may be shorter than its clean-ups.
      if let cancelled = chain.cancelled, now - cancelled > Self.cleanUp {
        complain("A cancelled chain ends within its clean-ups", "\(id)", now - cancelled, now)
      }
    case .message, .treated, .device, .disturbance, .healed, .joined, .turnEnded, .stepBegan,
      .stepValue, .stepEnded:
      break
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func complain(_ rule: String, _ what: String, _ took: Duration, _ now: Instant) {
    violations.append(Violation(rule: rule, what: "\(what) took \(took)", at: now))
  }
}
