// The cause of a failure, before its operation is known.

import BlueZInterfaces
import Bluetooth
import DBus
import Signals

/// A failure without its operation, on its way up: whether it is transient, why, and what to try.
struct Cause: Error, Equatable {
  let code: DeviceFailure.Code
  let failureClass: FailureClass
  let meaning: String
  let hint: Hint
  /// The condition for another attempt of Connect; ``ConnectAttempts/Failing/definite`` if it would
  /// fail the same way.
  private(set) var failing = ConnectAttempts.Failing.definite
  /// The error reply behind it.
  private(set) var answer: ErrorAnswer?
  /// The deadline that passed, if that is the cause.
  private(set) var deadline: TimedOut?
  /// When it happened, if it may be noticed much later; nil: now.
  private(set) var happened: Instant?

  /// Compares the meaning only: not the error reply, the deadline and the time.
  static func == (a: Cause, b: Cause) -> Bool {
    a.code == b.code && a.failureClass == b.failureClass && a.meaning == b.meaning
      && a.hint == b.hint
  }

  /// Another attempt may succeed.
  static func transient(_ code: DeviceFailure.Code, _ meaning: String, hint: Hint) -> Cause {
    Cause(code: code, failureClass: .passing, meaning: meaning, hint: hint)
  }

  /// Another attempt fails the same way.
  static func permanent(_ code: DeviceFailure.Code, _ meaning: String, hint: Hint) -> Cause {
    Cause(code: code, failureClass: .definite, meaning: meaning, hint: hint)
  }

  /// The bus, the daemon or the adapter is missing.
  static func unavailable(_ code: DeviceFailure.Code, _ meaning: String, hint: Hint) -> Cause {
    Cause(code: code, failureClass: .unavailable, meaning: meaning, hint: hint)
  }

  /// A copy after which Connect tries again.
  func again(_ failing: ConnectAttempts.Failing) -> Cause {
    var problem = self
    problem.failing = failing
    return problem
  }

  /// A copy that was reported by an error reply.
  func reported(by answer: ErrorAnswer?) -> Cause {
    var problem = self
    problem.answer = answer
    return problem
  }

  /// A copy that was caused by a deadline.
  func caused(by deadline: TimedOut) -> Cause {
    var problem = self
    problem.deadline = deadline
    return problem
  }

  /// A copy that happened at an earlier instant.
  func happened(at instant: Instant) -> Cause {
    var problem = self
    problem.happened = instant
    return problem
  }

  /// The failure of an operation, with its device and its attribute.
  func failure(
    of operation: String, device: String? = nil, attribute: String? = nil
  ) -> DeviceFailure {
    DeviceFailure(
      code: code, class: failureClass, operation: operation, device: device, attribute: attribute,
      bluez: answer.map { BlueZAnswer(name: $0.name, text: $0.text) },
      att: answer?.refusal.attErrorCode,
      timedOut: deadline.map {
        TimedOut(operation: operation, after: $0.after, limitOf: $0.limitOf, holder: $0.holder)
      },
      meaning: meaning, hint: hint
    )
  }
}

// MARK: Errors of the bus and of waits

extension Cause {
  /// The cause behind an error in a situation; nil for a cancellation, an error of the loop, and a
  /// complete failure.
  init?(_ error: any Error, _ situation: ErrorSituation) {
    switch error {
    case let problem as Cause: self = problem
    case let error as DBusError:
      let answer = ErrorAnswer(error)
      self = ErrorMapping.explain(answer, situation).reported(by: answer)
    case let failure as BusFailure: self = .bus(failure)
    case let error as TimedOut: self = Self.timedOut(error, situation).caused(by: error)
    default: return nil
    }
  }

  private static func bus(_ failure: BusFailure) -> Cause {
    switch failure {
    case .closed: .busLost
    case .notPermitted: .busNotPermitted
    case .unreachable(let address, let reason):
      .unavailable(
        .busUnreachable, "the message bus at \(address) cannot be reached: \(reason)",
        hint: "check that the bus is running and DBUS_SYSTEM_BUS_ADDRESS, or \(.simulate)"
      )
    case .messageTooLarge(let reason): .messageTooLarge(reason)
    case .callTableFull, .sendQueueFull, .cannotPassDescriptors:
      .transient(
        .busy, "the call to bluetoothd could not be sent: \(failure)",
        hint: "run fewer chains at once; restart bluetoothd if it does not answer at all"
      )
    }
  }

  private static func timedOut(_ error: TimedOut, _ situation: ErrorSituation) -> Cause {
    let mayWantPairing = situation.isGATT && situation.isUnpaired
    if situation.isGATT && situation.isLinkDown {
      // A request that waits for a pairing is never answered: bluetoothd drops the connection after
      // 30 s, and removes a device without a bond.
      return mayWantPairing && situation.isForgotten ? .pairingAwaited : .linkLost
    }
    let within = within(error)
    let usual = mayWantPairing ? pairingHint : situation.isGATT ? bondHint : noAnswer.hint
    let (meaning, hint) =
      switch situation.call {
      case .connect: ("the device was not connected and ready\(within)", usual)
      case .disconnect: (stillConnected.meaning + within, stillConnected.hint)
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

  /// `1.5 s`, `20 s`, `40 ms`.
  private static func text(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    let milliseconds = whole * 1000 + attoseconds / 1_000_000_000_000_000
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    let seconds = "\(Double(milliseconds) / 1000)"
    return (seconds.hasSuffix(".0") ? seconds.dropLast(2) : seconds[...]) + " s"
  }
}
