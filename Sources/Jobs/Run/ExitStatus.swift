// The exit status of the process.

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
