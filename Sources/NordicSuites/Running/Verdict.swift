// Judges the result of an operation by the expected one. Pure.

public import Bluetooth
import Jobs
import Signals

/// The judgement of an operation.
struct Verdict: Sendable {
  var status: StepResult.Status
  var outcome: StepOutcome?
  var failure: RunFailure?
  var notes: [String]
  /// The error of the operation; nil when it succeeded.
  var error: (any Error)?

  /// - Parameters:
  ///   - error: The error of the operation; nil when it succeeded.
  ///   - notes: Remarks, each of which makes a success a warning.
  init(
    _ operation: Operation,
    _ outcome: StepOutcome?,
    _ error: (any Error)?,
    notes: [String],
    warnsOfUnsupported: Bool
  ) {
    self.outcome = outcome
    self.notes = notes
    self.error = error
    status = notes.isEmpty ? .ok : .warning
    let expected = operation.expected
    guard let error else {
      guard expected.result.isFailure else { return }
      let why = "expected a failure, but it succeeded"
      expected.result.isLenient ? warn(why) : fail(Self.unexpected(operation, why))
      return
    }
    let failure = Verdict.failure(error, operation)
    let isUnsupported = Self.isUnsupported(error)
    guard Self.canBeExpected(error) else {
      fail(failure)
      return
    }
    // What this host cannot do has neither failed nor succeeded at the device.
    if !expected.result.isFailure || isUnsupported {
      let isLenient = expected.result.isLenient || (warnsOfUnsupported && isUnsupported)
      isLenient ? warn("\(failure.why)") : fail(failure)
      if isLenient { self.failure = failure }
      return
    }
    self.failure = failure
    if let code = expected.errorCode, !Self.hasCode(code, error) {
      fail(Self.unexpected(operation, "\(failure.why); expected error \(code)"))
    }
  }

  private mutating func warn(_ note: String) {
    notes.append(note)
    status = .warning
  }

  private mutating func fail(_ failure: RunFailure) {
    self.failure = failure
    status = .failed
  }

  // MARK: Failures

  private static func failure(_ error: any Error, _ operation: Operation) -> RunFailure {
    guard let assertion = error as? AssertionFailure else { return RunFailure(error) }
    return unexpected(operation, assertion.description)
  }

  private static func unexpected(_ operation: Operation, _ why: String) -> RunFailure {
    RunFailure(
      code: .expectationNotMet,
      class: .definite,
      what: operation.doing,
      why: why,
      hint: "check the device, or what the suite expects of it"
    )
  }

  /// Whether an error counts as an expected failure. A host without Bluetooth and an unbound target
  /// do not.
  private static func canBeExpected(_ error: any Error) -> Bool {
    guard let failure = cause(error) else { return true }
    return failure.class != .unavailable && failure.code != .targetNotBound
  }

  private static func isUnsupported(_ error: any Error) -> Bool {
    cause(error)?.code == .notSupportedHere
  }

  private static func cause(_ error: any Error) -> DeviceFailure? {
    (error as? DeviceFailure) ?? (error as? FailedWithCleanUp)?.cause.flatMap { cause($0) }
  }

  /// Whether a failure has an error code.
  ///
  /// bluetoothd reports several codes as one, and others only by a name: codes that cannot be
  /// distinguished count as equal. A write that the characteristic does not offer is not sent: it
  /// counts as 3, which the device would answer. Beyond ATT error codes, 133 is any failure without a code, and
  /// 8, 19 and 22 are also a lost connection.
  ///
  /// - Source: BlueZ, `src/gatt-client.c` (create_gatt_dbus_error); Android,
  ///   `stack/include/gatt_api.h`.
  static func hasCode(_ code: Int, _ error: any Error) -> Bool {
    guard let failure = cause(error) else { return false }
    let pairing = [5, 12, 15]
    if let att = failure.att {
      return Int(att.rawValue) == code
        || (pairing.contains(Int(att.rawValue)) && pairing.contains(code))
    }
    switch code {
    case _ where pairing.contains(code): return failure.code == .notPaired
    case 3, 6: return failure.code == .notSupported
    case 8: return failure.code == .notPermitted || failure.code == .linkLost
    case 13: return failure.code == .invalidValue
    case 19, 22: return failure.code == .linkLost
    case 133: return true
    default: return false
    }
  }
}

extension DeviceFailure.Code {
  /// A target of a suite that is not bound to a device.
  public static let targetNotBound = Self(rawValue: "target-not-bound")
}

/// An assertion that did not hold.
struct AssertionFailure: Error, CustomStringConvertible {
  let description: String
}
