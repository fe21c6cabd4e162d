// The verdict on an operation: its result compared with the expected one. Pure.

import Bluetooth
import RunEvents
import Signals

/// The verdict on an operation.
struct Verdict: Sendable {
  var status: StepResult.Status
  var failure: RunFailure?
  var notes: [String]
  /// The error of the operation; nil if it succeeded.
  var error: (any Error)?

  /// Judges an operation.
  ///
  /// - Parameters:
  ///   - error: The error of the operation; nil if it succeeded.
  ///   - notes: The notes. Any note makes a success a warning.
  init(_ operation: Operation, _ error: (any Error)?, notes: [String], warnsOfUnsupported: Bool) {
    self.notes = notes
    self.error = error
    status = notes.isEmpty ? .ok : .warning
    let expected = operation.expected
    guard let error else {
      guard expected.isFailure else { return }
      let why = "expected a failure, but it succeeded"
      expected.isLenient ? warn(why) : fail(Self.unexpected(operation, why))
      return
    }
    let failure =
      (error as? AssertionFailure).map { Self.unexpected(operation, $0.description) }
      ?? RunFailure(error, while: operation.doing)
    let cause = Self.cause(error)
    // A host without Bluetooth or an unbound target never counts as an expected failure.
    if let cause, cause.class == .unavailable || cause.code == .targetNotBound {
      fail(failure)
      return
    }
    // An unsupported operation has neither failed nor succeeded at the device.
    let isUnsupported = cause?.code == .notSupportedHere
    if !expected.isFailure || isUnsupported {
      guard expected.isLenient || (warnsOfUnsupported && isUnsupported) else {
        fail(failure)
        return
      }
      warn("\(failure.why)")
    }
    self.failure = failure
    guard expected.isFailure, !isUnsupported, let code = operation.errorCode,
      cause.map(ErrorCode(code).includes) != true
    else { return }
    fail(Self.unexpected(operation, "\(failure.why); expected error \(code)"))
  }

  private mutating func warn(_ note: String) {
    notes.append(note)
    status = .warning
  }

  private mutating func fail(_ failure: RunFailure) {
    self.failure = failure
    status = .failed
  }

  private static func unexpected(_ operation: Operation, _ why: String) -> RunFailure {
    RunFailure(
      code: .expectationNotMet, class: .definite, what: operation.doing, why: why,
      hint: "check the device, or what the suite expects of it"
    )
  }

  private static func cause(_ error: any Error) -> DeviceFailure? {
    (error as? DeviceFailure) ?? (error as? FailedWithCleanUp)?.cause.flatMap { cause($0) }
  }
}

/// An assertion that did not hold.
struct AssertionFailure: Error, CustomStringConvertible {
  let description: String
}
