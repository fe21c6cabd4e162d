// The exit status of the process, and the error of a program ended by a signal.

import Bluetooth

/// An exit status: the result of a run for a shell, a CI server or a service supervisor.
///
/// - Source: 64 to 78 are the numbers of `sysexits.h`; shells report signal n as 128 + n.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// Every run succeeded.
  public static let ok = ExitStatus(rawValue: 0)
  /// A permanent failure, such as an unmet expectation or an error response from the device.
  public static let failed = ExitStatus(rawValue: 1)
  /// The command line is invalid.
  public static let usage = ExitStatus(rawValue: 2)
  /// A file is invalid.
  public static let data = ExitStatus(rawValue: 65)
  /// The bus, the adapter or a permission is missing.
  public static let unavailable = ExitStatus(rawValue: 69)
  /// Output or a required journal could not be written.
  public static let output = ExitStatus(rawValue: 74)
  /// A transient failure: another run may succeed.
  public static let passing = ExitStatus(rawValue: 75)

  /// The status of a program ended by a signal.
  ///
  /// ```swift
  /// print(ExitStatus.interrupted(by: 2).rawValue)  // 130, as a shell reports SIGINT
  /// ```
  public static func interrupted(by signal: Int32) -> ExitStatus {
    ExitStatus(rawValue: 128 + signal)
  }

  /// Creates the status after a run.
  ///
  /// ```swift
  /// let report = try await plan.run(on: sensor)
  /// let status = ExitStatus(after: report.ending?.failure)  // exit(status.rawValue)
  /// ```
  ///
  /// - Parameter failure: The failure of the run; nil if it succeeded.
  public init(after failure: RunFailure?) {
    guard let failure else {
      self = .ok
      return
    }
    if let signal = failure.signal {
      self = .interrupted(by: signal)
      return
    }
    // `interrupted` without a signal means that the output was closed.
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

/// The cancellation cause of turns when a signal ends the program.
public struct Interrupted: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of SIGHUP, SIGINT, SIGQUIT or SIGTERM.
  public let signal: Int32

  public init(signal: Int32) {
    self.signal = signal
  }

  /// The message: "interrupted by SIGINT".
  public var description: String {
    let names: [Int32: String] = [1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 15: "SIGTERM"]
    return "interrupted by \(names[signal] ?? "signal \(signal)")"
  }
}
