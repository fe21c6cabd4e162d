// Promise 2, second half: a connection that was up before is left up.

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
  /// The devices that a program has tried to connect: in its present turn, or in an earlier one
  /// whose link has not ended since, so that it still is its own to end.
  private var tried: [Int: Set<String>] = [:]

  private var isUp: Set<String> = []
  /// The end of the bus's last stall, until which programs do not know what they were sent; nil: it
  /// stalls until the healing.
  private var stallEnd: Instant? = .start
  /// Calls of Connect that have no reply yet, with their device.
  private var pending: [Call: String] = [:]

  private struct Call: Hashable {
    let program: Int
    let serial: UInt32
  }

  init(_ world: World) { elements = world.devices.map { Self.element($0.address) } }

  private static func element(_ address: BluetoothAddress) -> String {
    BlueZPath.device(address, of: BlueZPath.manager).lastElement
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .asked(let id, let plan): plans[id] = plan
    case .turnBegan(let id):
      turns[id.program] = id
      // What a stalled bus held back is delivered in the instant in which it ends.
      guard let stallEnd, stallEnd < now else { return }
      let up = isUp
      tried[id.program] = tried[id.program]?.filter { up.contains($0) } ?? []
    case .device(.linkUp(let address)): isUp.insert(Self.element(address))
    case .device(.linkDown(let address)): isUp.remove(Self.element(address))
    case .turnEnded(let id): turns[id.program] = nil
    case .ended(let id, _): plans[id] = nil
    case .message(let message) where message.kind == .methodCall: take(message, now)
    case .message(let message): answered(message)
    case .disturbance(.stall(let duration)): stallEnd = duration.map { now + $0 }
    case .healed: stallEnd = now
    case .treated, .device, .disturbance, .stepBegan, .stepValue, .stepEnded,
      .cancelled:
      break
    }
  }

  /// A connection that a late reply reports is the program's own, in whichever turn it arrives.
  private mutating func answered(_ reply: Message) {
    guard let serial = reply.replySerial, let program = programs[reply.destination ?? ""],
      let element = pending.removeValue(forKey: Call(program: program, serial: serial))
    else { return }
    tried[program, default: []].insert(element)
  }

  private mutating func take(_ call: Message, _ now: Instant) {
    guard call.interface == Device1.interface, let program = programs[call.sender ?? ""],
      let element = call.path?.lastElement, elements.contains(element)
    else { return }
    switch call.member {
    case Device1.connect.name, Device1.pair.name:
      tried[program, default: []].insert(element)
      pending[Call(program: program, serial: call.serial)] = element
    case Device1.disconnect.name:
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
