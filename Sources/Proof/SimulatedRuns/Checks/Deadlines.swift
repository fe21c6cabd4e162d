// Every wait has a deadline.

import Signals

/// Measures the time from the request or cancellation of a chain to its end.
struct Deadlines: Check {
  /// The longest clean-up: the step's own, then the undo of a Connect, then the turn's releases.
  static let cleanUp = Duration.seconds(10 + 8 + 10)

  private struct Chain {
    let plan: ChainPlan
    /// When the limit starts to count; nil before.
    var from: Instant?
    var cancelled: Instant?
    var isOver = false
  }

  private(set) var problems: [BrokenRule] = []
  private var chains: [ChainID: Chain] = [:]

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .requested(let id, let plan):
      // Blocking code has no limit on the wait for its turn: scheduling does not wait.
      chains[id] = Chain(plan: plan, from: plan.way == .blocking ? nil : now)
    case .turnBegan(let id): if chains[id]?.from == nil { chains[id]?.from = now }
    case .cancelled(let id): chains[id]?.cancelled = now
    case .ended(let id, _):
      guard let chain = chains[id] else { return }
      chains[id] = nil
      if let from = chain.from, now - from > chain.plan.limit + Self.cleanUp {
        addProblem("A chain ends within its deadline and its clean-ups", "\(id)", now - from, now)
      }
      // A cancelled chain may need longer for its clean-ups than its limit.
      if let cancelled = chain.cancelled, now - cancelled > Self.cleanUp {
        addProblem("A cancelled chain ends within its clean-ups", "\(id)", now - cancelled, now)
      }
    case .message, .treated, .device, .disturbance, .healed, .joined, .turnEnded, .stepBegan,
      .stepValue, .stepEnded:
      break
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func addProblem(
    _ rule: String, _ detail: String, _ took: Duration, _ now: Instant
  ) {
    problems.append(BrokenRule(rule: rule, detail: "\(detail) took \(took)", at: now))
  }
}
