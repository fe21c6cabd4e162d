// A turn ends every link that it made.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Tracks the owner of each link, and checks that it is down when the owner's turn has ended.
struct ReleaseCheck: Check {
  /// A Connect, or a Pair, which connects too, that may still create a link.
  private struct Attempt {
    let caller: String
    let serial: UInt32
    /// The chain whose turn made the call; nil outside turns.
    let chain: ChainID?
  }

  private(set) var problems: [BrokenRule] = []
  private let addresses: [BluetoothAddress]
  /// The possible owners of each device's link; empty while it is down.
  private var makers: [[ChainID?]]
  private var isUp: [Bool]
  private var attempts: [[Attempt]]
  private var programs: [String: Int] = [:]
  private var turns: [Int: ChainID] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  private var leftPrograms: Set<Int> = []
  /// Programs with a link that was kept.
  private var kept: Set<Int> = []
  /// A change was refused for its size: programs then end their links without waiting.
  private var isMirrorLost = false

  init(_ world: World) {
    addresses = world.devices.map(\.address)
    makers = addresses.map { _ in [] }
    isUp = addresses.map { _ in false }
    attempts = addresses.map { _ in [] }
  }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .requested(let id, let plan):
      plans[id] = plan
      if plan.keepsLink { kept.insert(id.program) }
    case .turnBegan(let id): turns[id.program] = id
    case .turnEnded(let id): turns[id.program] = nil
    case .message(let message): apply(message)
    case .device(.linkUp(let address)):
      guard let device = addresses.firstIndex(of: address) else { return }
      isUp[device] = true
      makers[device] = attempts[device].map(\.chain)
    case .device(.linkDown(let address)):
      guard let device = addresses.firstIndex(of: address) else { return }
      isUp[device] = false
      makers[device] = []
    case .disturbance(.leave(let program)): leftPrograms.insert(program)
    case .ended(let id, let ending): ended(id, ending, now)
    case .treated, .device, .disturbance, .healed, .stepBegan, .stepValue, .stepEnded,
      .cancelled:
      break
    }
  }

  private mutating func apply(_ message: Message) {
    if message.isRefusedChange { isMirrorLost = true }
    switch message.kind {
    case .methodCall:
      guard message.interface == Device1.interface,
        message.member == Device1.connect.name || message.member == Device1.pair.name,
        let caller = message.sender, let program = programs[caller],
        let path = message.path, let device = device(at: path)
      else { return }
      attempts[device].append(
        Attempt(caller: caller, serial: message.serial, chain: turns[program])
      )
    case .methodReturn, .error:
      guard let serial = message.replySerial else { return }
      for device in attempts.indices where !attempts[device].isEmpty {
        attempts[device].removeAll {
          $0.serial == serial && $0.caller == message.destination
        }
      }
    case .signal: break
    }
  }

  private func device(at path: ObjectPath) -> Int? {
    addresses.firstIndex { path.text.hasSuffix(Self.element($0)) }
  }

  private static func element(_ address: BluetoothAddress) -> String {
    BlueZPath.device(address, of: BlueZPath.manager).lastElement
  }

  /// Checks that the link of a chain is down when its caller gets the result, unless the result
  /// reports that it is not.
  private mutating func ended(_ id: ChainID, _ ending: ChainEnding, _ now: Instant) {
    defer { plans[id] = nil }
    guard let plan = plans[id], !plan.keepsLink, !isMirrorLost, !leftPrograms.contains(id.program)
    else { return }
    for device in addresses.indices where isUp[device] && makers[device] == [id] {
      // A kept link is restored as a kept one.
      if kept.contains(id.program) { continue }
      // Blocking code gets its result before its turn ends.
      if plan.way == .blocking, turns[id.program] == id { continue }
      if ending.reportsCleanUp { continue }
      addProblem("What was connected is disconnected", "\(id) and \(addresses[device])", now)
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}

extension ChainPlan {
  /// True if the link stays up after the chain.
  var keepsLink: Bool { steps.contains { $0.bare == .connect(keep: true) } }
}

extension ChainEnding {
  /// True if the result reports a connection that could not be ended.
  var reportsCleanUp: Bool {
    if let failed = error as? FailedWithCleanUp { return !failed.cleanUp.isEmpty }
    return (error as? DeviceFailure)?.operation == "disconnecting"
  }
}
