// A resuming subscription resumes: it is never silent without a reason.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks that, soon after the connection of a resuming subscription dropped, the program calls
/// bluetoothd or the step ends.
struct ResumptionCheck: Check {
  /// A step with a resuming subscription.
  private struct Open {
    let id: ChainID
    let step: ChainStep
    let device: BluetoothAddress
    /// bluetoothd has subscribed for it.
    var isActive = false
    /// The time from which the program could call; nil while there is nothing to resume.
    var since: Instant?
  }

  /// The limit for the program's call; its own pause is 5 s at most.
  private static let limit = Duration.seconds(10)

  private static let starting = [
    GattCharacteristic1.startNotify.name, GattCharacteristic1.acquireNotify.name,
  ]

  private(set) var problems: [BrokenRule] = []
  private let addresses: [BluetoothAddress]
  private var programs: [String: Int] = [:]
  private var plans: [ChainID: ChainPlan] = [:]
  /// The step of each program, which runs one at a time.
  private var open: [Int: Open] = [:]
  /// The members of the calls of a program that have no reply.
  private var pending: [Int: [UInt32: String]] = [:]
  /// The bus stalls: programs cannot act.
  private var isStalled = false

  init(_ world: World) { addresses = world.devices.map(\.address) }

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .joined(let program, let name): programs[name] = program
    case .requested(let id, let plan): plans[id] = plan
    case .stepBegan(let id, _, let step):
      guard let plan = plans[id], step.bare.resumes else { return }
      open[id.program] = Open(id: id, step: step, device: addresses[plan.device])
    case .stepEnded(let id, _):
      checkSilence(of: id.program, now)
      open[id.program] = nil
    case .message(let message): follow(message, now)
    case .device(.linkDown(let address)):
      guard !isStalled else { return }
      for program in open.keys where open[program]?.device == address {
        guard open[program]?.isActive == true, open[program]?.since == nil else { continue }
        open[program]?.since = now
      }
    case .disturbance(.stall):
      isStalled = true
      for program in open.keys { open[program]?.since = nil }
    case .healed: isStalled = false
    case .treated, .device, .disturbance, .turnBegan, .turnEnded, .stepValue, .cancelled, .ended:
      break
    }
  }

  private mutating func follow(_ message: Message, _ now: Instant) {
    switch message.kind {
    case .methodCall:
      guard let program = programs[message.sender ?? ""] else { return }
      checkSilence(of: program, now)
      open[program]?.since = nil
      guard !message.noReplyExpected else { return }
      pending[program, default: [:]][message.serial] = message.member ?? ""
    case .methodReturn, .error:
      guard let program = programs[message.destination ?? ""],
        let member = pending[program]?.removeValue(forKey: message.replySerial ?? 0)
      else { return }
      if message.kind == .methodReturn, Self.starting.contains(member) {
        open[program]?.isActive = true
      }
      if open[program]?.since != nil { open[program]?.since = now }
    case .signal: break
    }
  }

  /// Reports a program that has been silent for too long.
  private mutating func checkSilence(of program: Int, _ now: Instant) {
    guard let step = open[program], let since = step.since, now - since > Self.limit,
      pending[program]?.isEmpty != false
    else { return }
    problems.append(
      BrokenRule(
        rule: "A subscription that resumes is not silent",
        detail: "\(step.id) \(step.step): the link dropped at \(since), and nothing was done",
        at: now
      )
    )
  }

  mutating func finish(at now: Instant) {
    for program in open.keys.sorted() { checkSilence(of: program, now) }
  }
}

extension ChainStep {
  /// Whether its subscription resumes after the connection drops.
  fileprivate var resumes: Bool {
    switch self {
    case .notify(_, _, let options), .exchange(_, _, let options): options.onLinkLoss == .resume
    case .connect, .disconnect, .services, .mtu, .read, .readDescriptor, .write, .pair, .unpair,
      .scan, .rest, .within:
      false
    }
  }
}
