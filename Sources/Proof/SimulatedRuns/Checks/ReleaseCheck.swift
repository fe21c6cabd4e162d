// Promise 2: what was connected is disconnected.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Watches whose each link is, and that it is down when the turn that made it has ended.
struct ReleaseCheck: Check {
  /// A Connect, or a Pair, which connects too, that may still make a link.
  private struct Attempt {
    let caller: String
    let serial: UInt32
    /// The chain in whose turn it was called; nil outside turns.
    let chain: ChainID?
  }

  private(set) var violations: [Violation] = []
  private let addresses: [BluetoothAddress]
  /// By device: those whose link it may be; empty where there is none.
  private var makers: [[ChainID?]]
  private var isUp: [Bool]
  private var attempts: [[Attempt]]
  private var programs: [String: Int] = [:]
  private var turns: [Int: ChainID] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  private var leftPrograms: Set<Int> = []
  /// Programs that have kept a link.
  private var kept: Set<Int> = []
  /// A change of a device was refused for its size: programs end their links, and wait for nothing.
  private var isMirrorLost = false

  init(_ world: World) {
    addresses = world.devices.map(\.address)
    makers = addresses.map { _ in [] }
    isUp = addresses.map { _ in false }
    attempts = addresses.map { _ in [] }
  }

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .asked(let id, let plan):
      plans[id] = plan
      if plan.keepsLink { kept.insert(id.program) }
    case .turnBegan(let id): turns[id.program] = id
    case .turnEnded(let id): turns[id.program] = nil
    case .message(let message): take(message)
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

  private mutating func take(_ message: Message) {
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

  /// A connection that a chain made is down when its caller gets the result, unless the result
  /// reports that it is not.
  private mutating func ended(_ id: ChainID, _ ending: ChainEnding, _ now: Instant) {
    defer { plans[id] = nil }
    guard let plan = plans[id], !plan.keepsLink, !isMirrorLost, !leftPrograms.contains(id.program)
    else { return }
    for device in addresses.indices where isUp[device] && makers[device] == [id] {
      // A link that is to be kept is made anew as one that is kept.
      if kept.contains(id.program) { continue }
      // Blocking code gets the result before its turn ends.
      if plan.way == .blocking, turns[id.program] == id { continue }
      if ending.reportsCleanUp { continue }
      complain("What was connected is disconnected", "\(id) and \(addresses[device])", now)
    }
  }

  mutating func finish(at now: Instant) {}

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}

extension ChainPlan {
  /// Whether it leaves its link up.
  var keepsLink: Bool { steps.contains { $0.bare == .connect(keep: true) } }
}

extension ChainEnding {
  /// Whether it reports that a connection could not be ended.
  var reportsCleanUp: Bool {
    if let failed = error as? FailedWithCleanUp { return !failed.cleanUp.isEmpty }
    return (error as? DeviceFailure)?.operation == "disconnecting"
  }
}
