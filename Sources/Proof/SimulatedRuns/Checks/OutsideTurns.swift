// Promises 1 and 4: between turns a program sends nothing but what undoes.

import BlueZInterfaces
import DBus
import Signals

/// Watches what programs send while none of their chains has the turn.
struct OutsideTurns: Check {
  /// What may be left to do after a turn: what a late answer calls for.
  private static let undoing: Set<String> = [
    "Disconnect", "StopNotify", "StopDiscovery", "CancelPairing", "UnregisterAgent",
  ]

  private(set) var violations: [Violation] = []
  private var programs: [String: Int] = [:]
  private var turns: Set<Int> = []
  /// A program that has just joined looks around.
  private var hasBegun: Set<Int> = []

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .turnBegan(let id):
      turns.insert(id.program)
      hasBegun.insert(id.program)
    case .turnEnded(let id): turns.remove(id.program)
    case .message(let message):
      guard message.kind == .methodCall, message.destination == OrgBlueZ.busName,
        let program = programs[message.sender ?? ""], !turns.contains(program),
        hasBegun.contains(program), let member = message.member, !Self.undoing.contains(member)
      else { return }
      violations.append(
        Violation(
          rule: "Between turns nothing is asked but what undoes", what: message.text, at: now
        )
      )
    case .treated, .device, .disturbance, .healed, .asked, .stepBegan, .stepValue, .stepEnded,
      .cancelled, .ended:
      break
    }
  }

  mutating func finish(at now: Instant) {}
}
