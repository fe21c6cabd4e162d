// After the last fault every chain ends, and a plain one succeeds.

import BlueZInterfaces
import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices

/// Checks what happens after the last fault, and what is left at the end.
struct Liveness: Check {
  private(set) var violations: [Violation] = []
  private let isCalm: Bool
  private var cancelled: Set<ChainID> = []
  private let hasSecrets: Bool
  /// A device has rejected a pairing, and dropped the link.
  private var isPairingRejected = false
  /// A link that was made while its services could not be read may be up for good: it was to be
  /// kept, or whoever made it left.
  private var isKept = false
  /// A change of a device was refused for its size: the clients know the devices no more, for good.
  private var isMirrorLost = false
  /// Calls that have no answer, and for which bluetoothd refuses others as in progress.
  private var unanswered: [Unanswered] = []

  /// A call of AcquireNotify, which keeps its characteristic acquired, or of WriteValue, such as a
  /// write of a protected value, which waits for a pairing.
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
  static let plain = 1_000

  mutating func take(_ sighting: Sighting, at now: Instant) {
    switch sighting {
    case .asked(_, let plan) where plan.keepsLink: isKept = true
    case .disturbance(.leave): isKept = true
    case .cancelled(let id): cancelled.insert(id)
    case .message(let message): follow(message)
    case .ended(let id, let ending):
      guard let error = ending.error else { return }
      let code = (error as? DeviceFailure)?.code
      let isPlain = id.number >= Self.plain
      // A device drops the link over a protected value that nobody pairs for.
      if code == .linkLost, hasSecrets || isPairingRejected, !isPlain { return }
      if code == .characteristicMissing, isKept { return }
      if code == .busy, unanswered.contains(where: { !($0.isWrite && isPlain) }) { return }
      if code == .invalidValue, isMirrorLost { return }
      if isPlain {
        complain("Once all is well, so is a chain", "\(id): \(error)", now)
      } else if isCalm, !cancelled.contains(id), !Self.isOwnFault(error) {
        complain("Without a fault nothing fails", "\(id): \(error)", now)
      }
    case .treated, .device, .disturbance, .healed, .joined, .asked, .turnBegan, .turnEnded,
      .stepBegan, .stepValue, .stepEnded:
      break
    }
  }

  private mutating func follow(_ message: Message) {
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

  /// What a chain can come to in a world where nothing goes wrong.
  private static func isOwnFault(_ error: any Error) -> Bool {
    guard let failure = error as? DeviceFailure else { return error is TimedOut }
    // It asks for what is not there, or for more than its limits allow.
    return [
      .timedOut, .characteristicMissing, .notConnected, .notSupported, .pairingFailed, .notPaired,
      .notPermitted, .notFound, .descriptorMissing,
    ].contains(failure.code)
  }

  mutating func finish(at now: Instant) {}

  private mutating func complain(_ rule: String, _ what: String, _ now: Instant) {
    violations.append(Violation(rule: rule, what: what, at: now))
  }
}
