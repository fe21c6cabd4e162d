// After the last fault every chain ends, and a plain one succeeds.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks the chains that end after the last fault.
struct Liveness: Check {
  private(set) var problems: [BrokenRule] = []
  private let isCalm: Bool
  private var cancelled: Set<ChainID> = []
  private let hasSecrets: Bool
  /// A device has rejected a pairing and dropped the link.
  private var isPairingRejected = false
  /// A link may stay up for good: it was made while its services could not be read, and its chain
  /// kept it or its program left.
  private var isKept = false
  /// A change was refused for its size: the clients have lost their device tree for good.
  private var isMirrorLost = false
  /// Calls without a reply; bluetoothd refuses similar calls as in progress.
  private var unanswered: [Unanswered] = []

  /// An AcquireNotify, which keeps its characteristic acquired, or a WriteValue that waits for
  /// pairing.
  private struct Unanswered {
    let caller: String
    let serial: UInt32
    let path: ObjectPath
    let isWrite: Bool
  }

  init(_ world: World) {
    let attributes = world.devices.flatMap(\.services).flatMap(\.characteristics)
    hasSecrets = attributes.contains { $0.security != AttributeSecurity() }
    isCalm = world.disturbances.isEmpty && world.stall == nil && world.programs.count == 1
  }

  /// The number of the first plain chain.
  static let firstPlainNumber = 1_000

  mutating func apply(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .requested(_, let plan) where plan.keepsLink: isKept = true
    case .disturbance(.leave): isKept = true
    case .cancelled(let id): cancelled.insert(id)
    case .message(let message): apply(message)
    case .ended(let id, let ending):
      guard let error = ending.error else { return }
      let code = (error as? DeviceFailure)?.code
      let isPlain = id.number >= Self.firstPlainNumber
      // A device drops the link when a protected value is requested without pairing.
      if code == .linkLost, hasSecrets || isPairingRejected, !isPlain { return }
      if code == .characteristicMissing, isKept { return }
      if code == .busy, unanswered.contains(where: { !($0.isWrite && isPlain) }) { return }
      if code == .invalidValue, isMirrorLost { return }
      if isPlain {
        addProblem("Once all is well, so is a chain", "\(id): \(error)", now)
      } else if isCalm, !cancelled.contains(id), !Self.isOwnFault(error) {
        addProblem("Without a fault nothing fails", "\(id): \(error)", now)
      }
    case .treated, .device, .disturbance, .healed, .joined, .requested, .turnBegan, .turnEnded,
      .stepBegan, .stepValue, .stepEnded:
      break
    }
  }

  private mutating func apply(_ message: Message) {
    if message.isRefusedChange { isMirrorLost = true }
    if message.errorName == BlueZErrorName.authenticationFailed { isPairingRejected = true }
    switch message.kind {
    case .methodCall where message.interface == GattCharacteristic1.interface:
      let isWrite = message.member == GattCharacteristic1.writeValue.name
      guard isWrite || message.member == GattCharacteristic1.acquireNotify.name,
        let caller = message.sender, let path = message.path
      else { return }
      unanswered.append(
        Unanswered(caller: caller, serial: message.serial, path: path, isWrite: isWrite)
      )
    case .methodReturn, .error:
      unanswered.removeAll {
        $0.caller == message.destination && $0.serial == message.replySerial
      }
    case .signal where message.member == StandardInterface.interfacesRemoved.name:
      guard message.body.last?.asStrings?.contains(GattCharacteristic1.interface) == true,
        let path = message.body.first?.asObjectPath
      else { return }
      unanswered.removeAll { $0.path == path }
    case .methodCall, .signal: break
    }
  }

  /// True for errors that occur even without any fault.
  private static func isOwnFault(_ error: any Error) -> Bool {
    guard let failure = error as? DeviceFailure else { return error is TimedOut }
    // The chain requests a missing attribute, or exceeds its own limit.
    return [
      .timedOut, .characteristicMissing, .notConnected, .notSupported, .pairingFailed, .notPaired,
      .notPermitted, .notFound, .descriptorMissing,
    ].contains(failure.code)
  }

  mutating func finish(at now: Instant) {}

  private mutating func addProblem(_ rule: String, _ detail: String, _ now: Instant) {
    problems.append(BrokenRule(rule: rule, detail: detail, at: now))
  }
}
