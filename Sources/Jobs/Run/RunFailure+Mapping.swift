// Converts every error of a run to a failure.

import Bluetooth
import Signals

extension RunFailure {
  /// The failure of an error.
  ///
  /// - Parameters:
  ///   - error: The error of a step or a run.
  ///   - step: The step it came from, if it was one.
  public init(_ error: any Error, step: PlacedStep? = nil) {
    let what = step?.step.doing ?? "running the chain"
    switch error {
    case let failure as RunFailure: self = failure
    case let failure as DeviceFailure: self.init(failure)
    case let failure as FailedWithCleanUp: self.init(failure, step: step)
    case let failure as ExpectationFailure:
      self.init(
        code: .expectationNotMet,
        class: .definite,
        what: what,
        why: failure.description,
        hint: "check the device, or what the chain expects of it",
        expectation: failure
      )
    case let failure as ValueError:
      self.init(
        code: .invalidValue,
        class: .definite,
        what: what,
        why: "the value does not match its format: \(failure)",
        hint: "give the step the format that the device uses; 'format: hex' accepts any bytes"
      )
    case let timedOut as TimedOut:
      let limit = timedOut.after.map { " within \($0.written)" } ?? " in time"
      self.init(
        code: .timedOut,
        class: .passing,
        what: what,
        why: "\(timedOut.operation) did not end\(limit)"
      )
    case let interrupted as Interrupted:
      self.init(
        code: .interrupted,
        class: .definite,
        what: what,
        why: "\(interrupted)",
        signal: interrupted.signal
      )
    case is CancellationError:
      self.init(code: .cancelled, class: .definite, what: what, why: "it was cancelled")
    case let overflow as BufferOverflow:
      self.init(code: .valuesLost, class: .definite, what: what, why: "\(overflow)")
    default:
      self.init(code: .unknown, class: .definite, what: what, why: "\(error)")
    }
    source = source ?? step?.step.source
  }

  private init(_ failure: DeviceFailure) {
    self.init(
      code: failure.code,
      class: failure.class,
      what: failure.what,
      why: failure.meaning,
      bluez: failure.bluez,
      hint: failure.hint
    )
  }

  /// The first cause, with the failures of the clean-up; or only those.
  private init(_ failure: FailedWithCleanUp, step: PlacedStep?) {
    let cleanUps = failure.cleanUp.map { RunFailure($0.error) }
    let left = cleanUps.map(\.message).joined(separator: "; ")
    guard let cause = failure.cause else {
      self.init(
        code: .cleanUpFailed,
        class: cleanUps.first?.class ?? .definite,
        what: "cleaning up",
        why: left,
        bluez: cleanUps.first?.bluez,
        hint: cleanUps.first?.hint ?? ""
      )
      return
    }
    let first = RunFailure(cause, step: step)
    self.init(
      code: first.code,
      class: first.class,
      what: first.what,
      why: "\(first.why); and cleaning up failed: \(left)",
      bluez: first.bluez,
      hint: first.hint,
      signal: first.signal,
      expectation: first.expectation
    )
  }

  /// Whether to try the chain again: the failure is transient, and it is not only in the clean-up
  /// of a chain that succeeded.
  var isWorthAnotherTry: Bool { self.class == .passing && code != .cleanUpFailed }
}
