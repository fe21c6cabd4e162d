// All checkers of a run, each independent of the others.

import Signals

/// A rule that was broken.
struct Violation: Hashable, Sendable, CustomStringConvertible {
  /// The rule, as a sentence.
  let rule: String
  /// Where it was broken.
  let what: String
  let at: Instant

  var description: String { "\(rule): \(what)" }
}

/// A pure observer of a run that knows one rule, or a few that need the same state.
protocol Check: Sendable {
  /// What it has found wrong, in order.
  var violations: [Violation] { get }

  /// Something was seen.
  mutating func take(_ sighting: Sighting, at now: Instant)

  /// Nothing more comes: time has passed until everything was at rest.
  mutating func finish(at now: Instant)
}

/// The checkers.
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

  mutating func take(_ sighting: Sighting, at now: Instant) {
    endings.take(sighting, at: now)
    for index in others.indices { others[index].take(sighting, at: now) }
  }

  mutating func finish(at now: Instant) {
    endings.finish(at: now)
    for index in others.indices { others[index].finish(at: now) }
  }

  /// What is wrong, the earliest first.
  var violations: [Violation] {
    let all = endings.violations + others.flatMap(\.violations)
    return all.enumerated()
      .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }
      .map(\.element)
  }

  /// How many chains were asked for, and how many of them have not ended.
  var chains: Int { endings.asked }
  var openChains: Int { endings.open }
}
