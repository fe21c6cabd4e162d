// Combines the error with the operation: the failure that a user sees.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// The operation, its device and its attribute.
struct FailureContext: Sendable {
  var operation: String
  var device: String?
  var attribute: String?

  init(operation: String, device: String? = nil, attribute: String? = nil) {
    self.operation = operation
    self.device = device
    self.attribute = attribute
  }

  /// The failure for an error in this context.
  ///
  /// Cancellation, errors of the loop, and complete failures are returned unchanged.
  func failure(_ error: any Error, _ situation: ErrorSituation) -> any Error {
    switch error {
    case let problem as Problem:
      return failure(problem.explanation, problem.answer, deadline: problem.deadline)
    case let error as DBusError:
      let answer = ErrorAnswer(error)
      return failure(ErrorMapping.explain(answer, situation), answer)
    case let error as BusFailure:
      return failure(Self.explanation(of: error))
    case let error as TimedOut:
      return failure(timedOut(error, situation), deadline: error)
    default:
      return error
    }
  }

  /// The failure with an explanation.
  ///
  /// - Parameter deadline: The deadline that passed, if that was the cause.
  func failure(
    _ explanation: Explanation,
    _ answer: ErrorAnswer? = nil,
    deadline: TimedOut? = nil
  ) -> DeviceFailure {
    DeviceFailure(
      code: explanation.code,
      class: explanation.failureClass,
      operation: operation,
      device: device,
      attribute: attribute,
      bluez: answer.map { BlueZAnswer(name: $0.name, text: $0.text) },
      att: answer.flatMap(\.attErrorCode),
      timedOut: deadline.map {
        TimedOut(operation: operation, after: $0.after, limitOf: $0.limitOf, holder: $0.holder)
      },
      meaning: explanation.meaning,
      hint: explanation.hint
    )
  }

  private func timedOut(_ error: TimedOut, _ situation: ErrorSituation) -> Explanation {
    let mayWantPairing = situation.isGATT && situation.isUnpaired
    if situation.isGATT && situation.isLinkDown {
      // A request that waits for a pairing is never answered: bluetoothd drops the connection after
      // 30 s, and removes a device without a bond.
      return mayWantPairing && situation.isForgotten ? .pairingAwaited : .linkLost
    }
    let within = Self.within(error)
    let usual =
      mayWantPairing
      ? Explanation.pairingHint
      : situation.isGATT ? Explanation.bondHint : Explanation.noAnswer.hint
    let (meaning, hint) =
      switch situation.call {
      case .connect: ("the device was not connected and ready\(within)", usual)
      case .disconnect:
        (Explanation.stillConnected.meaning + within, Explanation.stillConnected.hint)
      case .pair: ("pairing was not completed\(within), and was cancelled", usual)
      case .discovery, .read, .write, .notify, .acquireNotify, .acquireWrite, .objects:
        ("no answer came\(within)", usual)
      }
    return .transient(.timedOut, meaning, hint: hint)
  }

  /// ` within 20 s`.
  static func within(_ deadline: TimedOut) -> String {
    deadline.after.map { " within \(text($0))" } ?? " in time"
  }

  static func explanation(of failure: BusFailure) -> Explanation {
    switch failure {
    case .closed: .busLost
    case .notPermitted: .busNotPermitted
    case .unreachable(let address, let reason):
      .unavailable(
        .busUnreachable,
        "the message bus at \(address) cannot be reached: \(reason)",
        hint: "check that the bus is running and DBUS_SYSTEM_BUS_ADDRESS, or \(.simulate)"
      )
    case .messageTooLarge(let reason): .messageTooLarge(reason)
    case .callTableFull, .sendQueueFull, .cannotPassDescriptors:
      .transient(
        .busy,
        "the call to bluetoothd could not be sent: \(failure)",
        hint: "run fewer chains at once; restart bluetoothd if it does not answer at all"
      )
    }
  }

  /// `1.5 s`, `20 s`, `40 ms`.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if seconds == 0 { return "\(milliseconds) ms" }
    if milliseconds == 0 { return "\(seconds) s" }
    var fraction = String(milliseconds + 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction) s"
  }
}
