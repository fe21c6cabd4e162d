// Between turns a program sends only calls that undo earlier ones.

import BlueZInterfaces
import DBus
import Signals

/// Checks the calls of programs whose chains hold no turn.
struct OutsideTurns: Check {
  /// Calls that a late reply may require after the turn.
  private static let undoing: Set<String> = [
    "Disconnect", "StopNotify", "StopDiscovery", "CancelPairing", "UnregisterAgent",
  ]

  private(set) var problems: [BrokenRule] = []
  private var programs: [String: Int] = [:]
  private var turns: Set<Int> = []
  /// Programs past their initial reading of the objects.
  private var hasBegun: Set<Int> = []

  mutating func apply(_ sighting: Sighting, at now: Instant) {
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
      problems.append(
        BrokenRule(
          rule: "Between turns nothing is asked but what undoes", detail: message.text, at: now
        )
      )
    case .treated, .device, .disturbance, .healed, .requested, .stepBegan, .stepValue, .stepEnded,
      .cancelled, .ended:
      break
    }
  }

  mutating func finish(at now: Instant) {}
}
