// A fault at one step of a chain that does everything once.

import BlueZ
import Bluetooth
import Signals
import SimulatedDevices
import Testing

/// A fault at one step of ``FaultCase/chain(_:)``.
struct FaultCase: Sendable, CustomTestStringConvertible {
  /// The steps, in order, as the device sees them.
  enum Step: String, CaseIterable {
    case connect, discover, read, write, subscribe, readAgain, disconnect

    var kind: FaultKind {
      switch self {
      case .connect: .connect
      case .discover: .discover
      case .read, .readAgain: .read
      case .write: .write
      case .subscribe: .subscribe
      case .disconnect: .disconnect
      }
    }
  }

  let step: Step
  let action: OperationFault

  var rule: FaultRule {
    FaultRule(on: step.kind, occurrence: .nth(step == .readAgain ? 2 : 1), action: action)
  }

  var testDescription: String { "\(step.rawValue): \(action)" }

  /// Every kind of fault there is; the delays are one within the chain's deadlines and one beyond.
  static let actions: [OperationFault] = [
    .none, .refuse(.unlikelyError), .refuse(ATTErrorCode(rawValue: 0x80)), .loseLinkBefore,
    .loseLinkAfter, .neverAnswer, .refuseConnection, .vanish, .slow(.seconds(3)),
    .slow(.seconds(200)),
  ]

  /// Every step with every fault that can happen to it.
  static let all: [FaultCase] = Step.allCases.flatMap { step in
    actions.filter { $0.applies(to: step.kind) }.map { FaultCase(step: step, action: $0) }
  }

  /// Whether bluetoothd does not end the link in time, so that no client can.
  var keepsLinkUp: Bool {
    step == .disconnect && [.neverAnswer, .slow(.seconds(200))].contains(action)
  }

  /// Connects, reads, writes, is notified, reads, disconnects; sends the second value read.
  static func chain(_ service: BlueZDevice) -> Signal<[UInt8]> {
    let echo = CharacteristicSelector(characteristic: .alertLevel)
    let battery = CharacteristicSelector(characteristic: .batteryLevel)
    return service.connect()
      .flattenMap { service.read(battery) }
      .flattenMap { _ in service.write([1], to: echo, kind: .request) }
      .flattenMap {
        service.subscribe(echo).flattenMap { values in
          service.write([2], to: echo, kind: .request)
            .flattenMap { values.take(1) }
        }
      }
      .flattenMap { _ in service.read(battery) }
      .flattenMap { value in service.disconnect().map { value } }
  }
}
