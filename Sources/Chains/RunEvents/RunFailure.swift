// The failure of a run or a step, in one form for every report.
//
// The conversion from errors is in RunFailure+Mapping.swift.

public import Bluetooth
public import Documents

/// A failure for output: the operation, the reason, and a hint.
public struct RunFailure: KnownFailure, Hashable, Sendable, CustomStringConvertible {
  /// The code, stable in output: `timed-out`, `expectation-not-met`.
  public let code: DeviceFailure.Code
  /// Whether another attempt may succeed.
  public let `class`: FailureClass
  /// The operation: "reading battery-level on 'Thermo-1'".
  public package(set) var what: String
  /// The reason: "no answer came within 5s".
  public package(set) var why: String
  /// The D-Bus error from BlueZ, if there was one.
  public let bluez: BlueZAnswer?
  /// The ATT error from the device, if there was one.
  public let att: ATTErrorCode?
  /// A suggestion for the user; may be empty.
  public package(set) var hint: String
  /// The signal that ended the run, if there was one.
  public let signal: Int32?
  /// The part of the trace for the failed step, if a trace was recorded.
  public package(set) var trace: TraceSlice?
  /// The D-Bus messages between this program and bluetoothd before the failure, as far as they are
  /// kept.
  public package(set) var messages: [BlueZMessage] = []
  /// The expected and the received value of an unmet expectation; otherwise nil.
  public let expectation: ExpectationFailure?
  /// The place of the failed step; nil if the step is implied or there is none.
  public package(set) var source: Place?
  /// The one-line form that contains the place; nil for other places.
  package var sourceText: String?

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

  /// The kind, for code that decides. An unmet expectation has no kind of its own, because the
  /// library does not know expectations.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// if report.failures.first?.kind == .notPaired { print("pair first") }
  /// ```
  public var kind: FailureKind {
    DeviceFailure(code: code, class: self.class, operation: what, meaning: why, hint: "").kind
  }

  /// The operation and the reason, on one line.
  ///
  /// ```swift
  /// for failure in try await plan.run(on: sensor).failures { print(failure.message) }
  /// ```
  public var message: String { "\(what): \(why)" }

  /// The operation, the reason and the hint, on one line.
  public var description: String { hint.isEmpty ? message : "\(message). Try: \(hint)" }
}

extension DeviceFailure.Code {
  /// A value does not meet an expectation.
  public static let expectationNotMet = Self(rawValue: "expectation-not-met")
  /// Devices of a batch did not run, because they or others had failed.
  public static let notRun = Self(rawValue: "not-run")
  /// A signal ended the run, or its output was closed.
  public static let interrupted = Self(rawValue: "interrupted")
  /// A required journal could not be written.
  public static let journalFailed = Self(rawValue: "journal-failed")
  /// This host does not support an operation of a suite.
  public static let notSupportedHere = Self(rawValue: "not-supported-here")
  /// The program of a `command` step failed, or may not run.
  public static let commandFailed = Self(rawValue: "command-failed")
  /// The firmware of the device was not replaced, or the device refused it.
  public static let firmwareFailed = Self(rawValue: "firmware-failed")
  /// A passkey could not be read from its source.
  public static let secretMissing = Self(rawValue: "secret-missing")
}
