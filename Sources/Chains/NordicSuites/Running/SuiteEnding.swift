// The ending of a run of a suite, and its exit status.

public import Jobs

/// The ending of a run of a suite.
public struct SuiteEnding: Equatable, Sendable {
  /// The ending of each test, in order.
  public let results: [RunEnding]
  /// The number of tests that were not run, because the run was cancelled.
  public let notRun: Int

  public var warnings: Int { results.reduce(0) { $0 + $1.warnings } }

  /// The number of tests that ended as expected, with or without warnings.
  public var passed: Int { count(.ok) + count(.warning) }

  /// Returns the number of tests that ended with a status.
  public func count(_ status: RunEnding.Status) -> Int {
    results.count { $0.status == status }
  }

  public var status: RunEnding.Status {
    if count(.cancelled) > 0 || notRun > 0 { return .cancelled }
    if count(.failed) > 0 { return .failed }
    return warnings > 0 ? .warning : .ok
  }

  /// The exit status of the process: 0 if all tests ended as expected, with or without warnings.
  ///
  /// A signal takes precedence, then a failure of this host. It is 75 only if every failure is transient.
  public var exitStatus: ExitStatus {
    let statuses = results.compactMap { $0.failure.map { ExitStatus(after: $0) } }
    if let signal = statuses.first(where: { $0.rawValue > 128 }) { return signal }
    if statuses.contains(.unavailable) { return .unavailable }
    if let other = statuses.first(where: { $0 != .passing }) { return other }
    return statuses.first ?? (notRun > 0 ? .failed : .ok)
  }
}
