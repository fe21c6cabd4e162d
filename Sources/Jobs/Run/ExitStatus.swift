// What the process ends with.

import Bluetooth

/// An exit status: what a shell, a CI or a service supervisor learns of a run.
///
/// - Source: the numbers from 64 to 78 are those of `sysexits.h`; 128 + n is a shell's for signal n.
public struct ExitStatus: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32

  public init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// All succeeded.
  public static let ok = ExitStatus(rawValue: 0)
  /// A step was refused, an expectation not met.
  public static let failed = ExitStatus(rawValue: 1)
  /// The command line is wrong.
  public static let usage = ExitStatus(rawValue: 2)
  /// A file is wrong.
  public static let data = ExitStatus(rawValue: 65)
  /// No bus, no adapter, no permission.
  public static let unavailable = ExitStatus(rawValue: 69)
  /// Output or a required journal could not be written.
  public static let output = ExitStatus(rawValue: 74)
  /// A failure that may pass by itself: trying later may help.
  public static let passing = ExitStatus(rawValue: 75)

  /// The status after a signal.
  public static func interrupted(by signal: Int32) -> ExitStatus {
    ExitStatus(rawValue: 128 + signal)
  }

  /// The status after a run that ended so.
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
    if failure.code == .journalFailed {
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
