// Promise 2, its other half: a link that was found is not ours to end.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Watches that a turn disconnects only what it connected, or was asked to disconnect.
struct OthersLinks: Check {
  private(set) var violations: [Violation] = []
  private let elements: [String]
  private var programs: [String: Int] = [:]
  private var turns: [Int: ChainID] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  /// The devices that the present turn of a program has tried to connect.
  private var tried: [Int: Set<String>] = [:]

  init(_ world: World) {
    elements = world.devices.map {
      BlueZPath.device($0.address, of: BlueZPath.manager).lastElement
    }
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .asked(let id, let plan): plans[id] = plan
    case .turnBegan(let id):
      turns[id.program] = id
      tried[id.program] = []
    case .turnEnded(let id): turns[id.program] = nil
    case .ended(let id, _): plans[id] = nil
    case .message(let message) where message.kind == .methodCall: take(message, now)
    default: break
    }
  }

  private mutating func take(_ call: Message, _ now: Instant) {
    guard call.interface == Device1.interface, let program = programs[call.sender ?? ""],
      let element = call.path?.lastElement, elements.contains(element)
    else { return }
    switch call.member {
    case Device1.Method.connect, Device1.Method.pair: tried[program, default: []].insert(element)
    case Device1.Method.disconnect:
      guard let id = turns[program], let plan = plans[id] else { return }
      // A session ends a link with the step that ends all links.
      let isAsked = plan.way == .session || plan.steps.contains { $0.bare == .disconnect }
      if isAsked || tried[program]?.contains(element) == true { return }
      violations.append(
        Violation(rule: "A link that was found is left up", what: "\(id): \(call.text)", at: now)
      )
    default: break
    }
  }

  mutating func finish(at now: Instant) {}
}
