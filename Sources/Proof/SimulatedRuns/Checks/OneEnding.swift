// Turns do not overlap; every chain and every step ends once.

import Signals

/// Tracks the start and end of every chain, turn and step.
struct OneEnding: Check {
  private enum Phase {
    case waiting, inTurn, turnOver
  }

  private struct Chain {
    var phase = Phase.waiting
    var isEnded = false
    /// The number of steps that have begun and not ended.
    var openSteps = 0
    var values = 0
  }

  private(set) var problems: [BrokenRule] = []
  private var states: [ChainID: Chain] = [:]
  /// The chain that holds the turn of each program.
  private var turns: [Int: ChainID] = [:]
  private var ended = 0

  var requested: Int { states.count }
  var open: Int { states.count - ended }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .requested(let id, _): states[id] = Chain()
    case .turnBegan(let id):
      if let other = turns[id.program] {
        addProblem("No two turns of a scheduler overlap", "\(id) within \(other)", now)
      }
      if states[id]?.phase != .waiting {
        addProblem("A chain has one turn", "\(id) has another", now)
      }
      turns[id.program] = id
      states[id]?.phase = .inTurn
    case .turnEnded(let id):
      if turns[id.program] != id {
        addProblem("A turn ends once", "\(id) ends a turn that it has not", now)
      }
      turns[id.program] = nil
      if let steps = states[id]?.openSteps, steps != 0 {
        addProblem("No step outlives its turn", "\(id) has \(steps) under way", now)
      }
      states[id]?.phase = .turnOver
    case .stepBegan(let id, _, let step):
      if turns[id.program] != id {
        addProblem("No step begins outside its turn", "\(id) \(step)", now)
      }
      states[id]?.openSteps += 1
    case .stepEnded(let id, _): states[id]?.openSteps -= 1
    case .ended(let id, _):
      if states[id]?.isEnded == true {
        addProblem("Every chain ends once", "\(id) ended again", now)
      } else {
        ended += 1
      }
      states[id]?.isEnded = true
      if let steps = states[id]?.openSteps, steps != 0 {
        addProblem("No step outlives its chain", "\(id) has \(steps) under way", now)
      }
    case .message, .treated, .device, .disturbance, .healed, .joined, .stepValue, .cancelled: break
    }
  }

  mutating func finish(at now: Instant) {
    for (id, chain) in states.sorted(by: { $0.key < $1.key }) {
      if !chain.isEnded { addProblem("Every chain ends", "\(id) did not", now) }
      if chain.phase == .inTurn { addProblem("Every turn is given back", "that of \(id)", now) }
    }
  }

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}

extension ChainID: Comparable {
  static func < (left: ChainID, right: ChainID) -> Bool {
    (left.program, left.number) < (right.program, right.number)
  }
}
