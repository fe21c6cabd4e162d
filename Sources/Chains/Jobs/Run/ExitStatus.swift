// The exit status of the process, and its end by a signal.

import Bluetooth

/// An exit status: the result of a run for a shell, a CI server or a service supervisor.
///
/// - Source: the numbers from 64 to 78 are those of `sysexits.h`; shells use 128 + n for signal n.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// All succeeded.
  public static let ok = ExitStatus(rawValue: 0)
  /// A step was refused, an expectation not met.
  public static let failed = ExitStatus(rawValue: 1)
  /// The command line is invalid.
  public static let usage = ExitStatus(rawValue: 2)
  /// A file is invalid.
  public static let data = ExitStatus(rawValue: 65)
  /// No bus, no adapter, no permission.
  public static let unavailable = ExitStatus(rawValue: 69)
  /// Output or a required journal could not be written.
  public static let output = ExitStatus(rawValue: 74)
  /// A transient failure: trying later may help.
  public static let passing = ExitStatus(rawValue: 75)

  /// The status after a signal.
  ///
  /// ```swift
  /// print(ExitStatus.interrupted(by: 2).rawValue)  // 130, as a shell reports SIGINT
  /// ```
  public static func interrupted(by signal: Int32) -> ExitStatus {
    ExitStatus(rawValue: 128 + signal)
  }

  /// The status after a run with this ending.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// let status = ExitStatus(after: report.ending?.failure)  // exit(status.rawValue)
  /// ```
  ///
  /// - Parameter failure: Nil when all succeeded.
  public init(after failure: RunFailure?) {
    guard let failure else {
      self = .ok
      return
    }
    if let signal = failure.signal {
      self = .interrupted(by: signal)
      return
    }
    // An interruption that is not a signal is the end of the output.
    if failure.code == .journalFailed || failure.code == .interrupted {
      self = .output
      return
    }
    switch failure.class {
    case .definite: self = .failed
    case .passing: self = .passing
    case .unavailable: self = .unavailable
    }
  }
}

/// The cause with which a turn is cancelled when a signal ends the program.
public struct Interrupted: Error, Hashable, Sendable, CustomStringConvertible {
  /// SIGHUP, SIGINT, SIGQUIT or SIGTERM.
  public let signal: Int32

  /// An interruption by the signal of this number.
  public init(signal: Int32) {
    self.signal = signal
  }

  /// "interrupted by SIGINT".
  public var description: String {
    let names: [Int32: String] = [1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 15: "SIGTERM"]
    return "interrupted by \(names[signal] ?? "signal \(signal)")"
  }
}
