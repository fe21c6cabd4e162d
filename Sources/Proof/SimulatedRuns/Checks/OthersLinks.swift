// A turn leaves a connection up that it did not make.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks that a turn disconnects only links that it made or was told to end.
struct OthersLinks: Check {
  private(set) var problems: [BrokenRule] = []
  private let elements: [String]
  private var programs: [String: Int] = [:]
  private var turns: [Int: ChainID] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  /// Devices that each program has tried to connect, in this turn or an earlier one. An entry stays
  /// until that link ends, as the program may still end it.
  private var tried: [Int: Set<String>] = [:]

  private var isUp: Set<String> = []
  /// The end of the bus's last stall; until then programs have not received their messages. Nil: it
  /// lasts until the healing.
  private var stallEnd: Instant? = .start
  /// Pending calls of Connect, with their device.
  private var pending: [Call: String] = [:]

  private struct Call: Hashable {
    let program: Int
    let serial: UInt32
  }

  init(_ world: World) { elements = world.devices.map { Self.element($0.address) } }

  private static func element(_ address: BluetoothAddress) -> String {
    BlueZPath.device(address, of: BlueZPath.manager).lastElement
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .requested(let id, let plan): plans[id] = plan
    case .turnBegan(let id):
      turns[id.program] = id
      // Messages held back by a stall arrive in the instant in which it ends.
      guard let stallEnd, stallEnd < now else { return }
      let up = isUp
      tried[id.program] = tried[id.program]?.filter { up.contains($0) } ?? []
    case .device(.linkUp(let address)): isUp.insert(Self.element(address))
    case .device(.linkDown(let address)): isUp.remove(Self.element(address))
    case .turnEnded(let id): turns[id.program] = nil
    case .ended(let id, _): plans[id] = nil
    case .message(let message) where message.kind == .methodCall: apply(message, now)
    case .message(let message): answered(message)
    case .disturbance(.stall(let duration)): stallEnd = duration.map { now + $0 }
    case .healed: stallEnd = now
    case .treated, .device, .disturbance, .stepBegan, .stepValue, .stepEnded,
      .cancelled:
      break
    }
  }

  /// A late reply makes the connection the program's own, in whichever turn it arrives.
  private mutating func answered(_ reply: Message) {
    guard let serial = reply.replySerial, let program = programs[reply.destination ?? ""],
      let element = pending.removeValue(forKey: Call(program: program, serial: serial))
    else { return }
    tried[program, default: []].insert(element)
  }

  private mutating func apply(_ call: Message, _ now: Instant) {
    guard call.interface == Device1.interface, let program = programs[call.sender ?? ""],
      let element = call.path?.lastElement, elements.contains(element)
    else { return }
    switch call.member {
    case Device1.connect.name, Device1.pair.name:
      tried[program, default: []].insert(element)
      pending[Call(program: program, serial: call.serial)] = element
    case Device1.disconnect.name:
      guard let id = turns[program], let plan = plans[id] else { return }
      // The final step of a session ends all links.
      let isAsked = plan.way == .session || plan.steps.contains { $0.bare == .disconnect }
      if isAsked || tried[program]?.contains(element) == true { return }
      problems.append(
        BrokenRule(rule: "A link that was found is left up", detail: "\(id): \(call.text)", at: now)
      )
    default: break
    }
  }

  mutating func finish(at now: Instant) {}
}
