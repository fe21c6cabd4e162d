// Why a run or a step failed, in one form for every report.

public import Bluetooth
public import Documents

/// A failure for output: the operation, the reason, and a hint.
public struct RunFailure: KnownFailure, Hashable, Sendable, CustomStringConvertible {
  /// The kind, stable in output: `timed-out`, `expectation-not-met`.
  public let code: DeviceFailure.Code
  /// Whether another attempt may succeed.
  public let `class`: FailureClass
  /// "reading battery-level on 'Thermo-1'".
  public internal(set) var what: String
  /// "no answer came within 5s".
  public internal(set) var why: String
  /// What BlueZ replied, if it did.
  public let bluez: BlueZAnswer?
  /// The ATT error that the device answered with, if it did.
  public let att: ATTErrorCode?
  /// A hint what to try; may be empty.
  public internal(set) var hint: String
  /// The signal that ended the run, if there was one.
  public let signal: Int32?
  /// The part of the trace that belongs to the failed step, if there is a trace.
  public internal(set) var trace: TraceSlice?
  /// What this program and bluetoothd sent each other before it, as far as that is kept.
  public internal(set) var messages: [BlueZMessage] = []
  /// The expected and the received value, if that is the reason.
  public let expectation: ExpectationFailure?
  /// Where the step that failed was written; nil when it was not a written step.
  public internal(set) var source: Place?
  /// The text of the one-line form that the place is in; nil for other places.
  var sourceText: String?

  /// A failure in its parts.
  public init(
    code: DeviceFailure.Code, class: FailureClass, what: String, why: String,
    bluez: BlueZAnswer? = nil, att: ATTErrorCode? = nil, hint: String = "", signal: Int32? = nil,
    trace: TraceSlice? = nil, expectation: ExpectationFailure? = nil
  ) {
    self.code = code
    self.class = `class`
    self.what = what
    self.why = why
    self.bluez = bluez
    self.att = att
    self.hint = hint
    self.signal = signal
    self.trace = trace
    self.expectation = expectation
  }

  /// The kind, for code that decides. An expectation that is not met is of no kind of the library's.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// if report.failures.first?.kind == .notPaired { print("pair first") }
  /// ```
  public var kind: FailureKind {
    DeviceFailure(code: code, class: self.class, operation: what, meaning: why, hint: "").kind
  }

  /// What and why, on one line.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures { print(failure.message) }
  /// ```
  public var message: String { "\(what): \(why)" }

  /// What, why and what to try, on one line.
  public var description: String { hint.isEmpty ? message : "\(message). Try: \(hint)" }
}

extension DeviceFailure.Code {
  /// A value is not what the chain expects.
  public static let expectationNotMet = Self(rawValue: "expectation-not-met")
  /// Devices of a batch were not run, because they or others had failed.
  public static let notRun = Self(rawValue: "not-run")
  /// A signal of the operating system ended the run, or its output was closed.
  public static let interrupted = Self(rawValue: "interrupted")
  /// A required journal could not be written.
  public static let journalFailed = Self(rawValue: "journal-failed")
  /// This host cannot do what an operation of a suite asks for.
  public static let notSupportedHere = Self(rawValue: "not-supported-here")
  /// A program of a `command` step failed, or may not run.
  public static let commandFailed = Self(rawValue: "command-failed")
  /// A passkey could not be read from its source.
  public static let secretMissing = Self(rawValue: "secret-missing")
}
