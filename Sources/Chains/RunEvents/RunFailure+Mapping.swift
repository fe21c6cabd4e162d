// Converts each error of a run to a RunFailure.

import Bluetooth
import Documents
import Signals

extension RunFailure {
  /// Creates the failure of an error.
  ///
  /// ```swift
  /// do {
  ///   _ = try await device.session { device.read("battery-level") }.first(within: .seconds(30))
  /// } catch {
  ///   print(RunFailure(error).code.rawValue, RunFailure(error))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - error: The error of a step or a run.
  ///   - what: The operation, as a participle: "reading battery-level".
  public init(_ error: any Error, while what: String = "running the chain") {
    switch error {
    case let failure as RunFailure: self = failure
    case let failure as DeviceFailure: self.init(failure)
    case let failure as FailedWithCleanUp: self.init(failure, while: what)
    case let failure as ExpectationFailure:
      self.init(
        code: .expectationNotMet, class: .definite, what: what, why: failure.description,
        hint: "check the device, or what the chain expects of it", expectation: failure
      )
    case let interrupted as Interrupted:
      self.init(
        code: .interrupted, class: .definite, what: what, why: "\(interrupted)",
        signal: interrupted.signal
      )
    default:
      let kind = FailureKind(error)
      let (why, hint) = Self.explanation(of: error)
      self.init(code: kind.code, class: kind.class, what: what, why: why, hint: hint)
    }
  }

  /// The reason and the hint for an error of the library, with durations as chains spell them.
  private static func explanation(of error: any Error) -> (why: String, hint: String) {
    switch error {
    case let failure as ValueError where failure.isOutOfRange:
      return (
        "the value is invalid: \(failure)",
        "the device sends what its specification does not allow; 'format: hex' accepts any bytes"
      )
    case let failure as ValueError:
      return (
        "the value does not match its format: \(failure)",
        "give the step the format that the device uses; 'format: hex' accepts any bytes"
      )
    case let timedOut as TimedOut:
      let limit = timedOut.after.map { " within \($0.written)" } ?? " in time"
      let holder = timedOut.holder.map {
        ": '\($0.turn)' has had the turn of '\($0.scheduler)' for \($0.held.written)"
      }
      return ("\(timedOut.operation) did not end\(limit)\(holder ?? "")", "")
    case is CancellationError: return ("it was cancelled", "")
    default: return ("\(error)", "")
    }
  }

  private init(_ failure: DeviceFailure) {
    self.init(
      code: failure.code, class: failure.class, what: failure.what, why: failure.meaning,
      bluez: failure.bluez, att: failure.att, hint: Self.hint(on: failure)
    )
  }

  /// Adds that the device may be locked: bluetoothd reports ATT error 0x08 (insufficient
  /// authorization), with which locked devices answer, as NotAuthorized.
  private static func hint(on failure: DeviceFailure) -> String {
    let hint = failure.advice.inCommand
    guard failure.bluez?.name == "org.bluez.Error.NotAuthorized", failure.attribute != nil else {
      return hint
    }
    return "unlock a device that is locked first, as its documentation describes; else \(hint)"
  }

  /// Creates the failure of an operation with the failures of its cleanup; of the cleanup alone if
  /// the operation succeeded.
  private init(_ failure: FailedWithCleanUp, while what: String) {
    let cleanUps = failure.cleanUp.map { RunFailure($0.error) }
    let left = cleanUps.map(\.message).joined(separator: "; ")
    guard let cause = failure.cause else {
      self.init(
        code: .cleanUpFailed, class: cleanUps.first?.class ?? .definite, what: "cleaning up",
        why: left, bluez: cleanUps.first?.bluez, hint: cleanUps.first?.hint ?? ""
      )
      return
    }
    self.init(cause, while: what)
    why += "; and cleaning up failed: \(left)"
  }

  /// Whether the chain should be retried: the failure is transient, and not only in the cleanup of
  /// a chain that succeeded.
  package var isWorthAnotherTry: Bool { self.class == .passing && code != .cleanUpFailed }
}

extension Hint {
  /// The hint in the terms of chains and of the command line.
  package var inCommand: String { text { $0.inCommand } }

  /// Whether the hint suggests pairing.
  package var isToPair: Bool {
    var isFound = false
    _ = text { remedy in
      if remedy == .pair { isFound = true }
      return ""
    }
    return isFound
  }
}

extension Hint.Remedy {
  fileprivate var inCommand: String {
    switch self {
    case .adapter: "--adapter"
    case .confirm: "confirm: true"
    case .fresh: "run blerun inspect --fresh"
    case .inspect: "blerun inspect"
    case .moreTime: "allow more time with --timeout"
    case .pair: "a pair step, or blerun pair"
    case .pairWithAgent: "pair with a step or with blerun pair, which register an agent"
    case .passkey: "passkey: { env: NAME }, or blerun pair --passkey-file"
    case .scan: "blerun scan"
    case .scanActively: "scan without --passive"
    case .simulate: "run with --simulate"
    case .step: "step"
    case .subscribe: "notify"
    case .takeOver: "run blerun inspect --take-over"
    case .unpair: "blerun unpair"
    }
  }
}
