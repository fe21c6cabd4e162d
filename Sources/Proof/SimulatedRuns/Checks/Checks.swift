// All checks of a run; each works without the others.

import Signals

/// A broken rule.
struct BrokenRule: Hashable, Sendable, CustomStringConvertible {
  /// The rule as a sentence that should have been true.
  let rule: String
  /// The object and the event that broke it.
  let detail: String
  let at: Instant

  var description: String { "\(rule): \(detail)" }
}

/// A passive observer of a run that checks one rule, or several that share state.
protocol Check: Sendable {
  /// The broken rules found so far, in order.
  var problems: [BrokenRule] { get }

  /// Applies the next sighting.
  mutating func apply(_ sighting: Sighting, at now: Instant)

  /// Ends the check, once no events remain.
  mutating func finish(at now: Instant)
}

struct Checks: Sendable {
  private var endings = OneEnding()
  private var others: [any Check]

  init(_ world: World) {
    others = [
      LinkCheck(world), Deadlines(), ReleaseCheck(world), OutsideTurns(), Explanations(),
      ValueCheck(world), Liveness(world), TreeCheck(), RestCheck(world), AnswerCheck(world),
      Leftovers(), OthersLinks(world), Causes(world), ScanCheck(), SizeCheck(),
      ResumptionCheck(world),
    ]
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    endings.apply(sighting, at: now)
    for index in others.indices { others[index].apply(sighting, at: now) }
  }

  mutating func finish(at now: Instant) {
    endings.finish(at: now)
    for index in others.indices { others[index].finish(at: now) }
  }

  /// All broken rules, the earliest first.
  var problems: [BrokenRule] {
    let all = endings.problems + others.flatMap(\.problems)
    return all.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// The number of chains requested, and of those still running.
  var chains: Int { endings.requested }
  var openChains: Int { endings.open }
}
