// What happens as a suite runs, as values: the run events of its tests, between its own start and
// end.

public import Jobs

/// One thing that happened in a run of a suite.
///
/// The order is: started; for each test the events of a run; finished last.
public struct SuiteEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    case started(Suite)
    /// A test is a run, with its operations as steps. Offsets of its events count from its own
    /// start.
    ///
    /// - Parameter index: The ordinal of the test in the run of the suite, from 1.
    case test(SuiteTest, index: Int, RunEvent)
    case finished(SuiteEnding)
  }

  public let run: RunIdentity
  /// How long after the start of the suite, on the loop's clock.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  public let wallClock: Duration
  public let change: Change

  public init(run: RunIdentity, offset: Duration, wallClock: Duration, change: Change) {
    self.run = run
    self.offset = offset
    self.wallClock = wallClock
    self.change = change
  }
}

/// How a suite ended.
public struct SuiteEnding: Equatable, Sendable {
  /// The ending of each test, in order.
  public let results: [RunEnding]
  /// How many tests were not run, because the run was ended from outside.
  public let notRun: Int

  public var warnings: Int { results.reduce(0) { $0 + $1.warnings } }

  /// How many tests ended as expected, with warnings or without.
  public var passed: Int { count(.ok) + count(.warning) }

  /// How many tests ended with a status.
  public func count(_ status: RunEnding.Status) -> Int {
    results.count { $0.status == status }
  }

  public var status: RunEnding.Status {
    if count(.cancelled) > 0 || notRun > 0 { return .cancelled }
    if count(.failed) > 0 { return .failed }
    return warnings > 0 ? .warning : .ok
  }

  /// The exit status of the process: 0 when all ended as expected, warnings or not.
  ///
  /// A signal comes first, then a failure of this host; 75 only if every failure is transient.
  public var exitStatus: ExitStatus {
    let statuses = results.compactMap { $0.failure.map { ExitStatus(after: $0) } }
    if let signal = statuses.first(where: { $0.rawValue > 128 }) { return signal }
    if statuses.contains(.unavailable) { return .unavailable }
    if let other = statuses.first(where: { $0 != .passing }) { return other }
    return statuses.first ?? (notRun > 0 ? .failed : .ok)
  }
}
