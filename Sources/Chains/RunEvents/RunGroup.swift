// A group of runs: the tests of a suite.

/// The facts about a group of runs that are known at its start.
public struct RunGroup: Hashable, Sendable {
  /// The kind in text: `test-suite`, `macro`.
  public let kind: String
  /// The title, if it has one.
  public let title: String?
  /// The number of runs.
  public let count: Int

  package init(kind: String, title: String?, count: Int) {
    self.kind = kind
    self.title = title
    self.count = count
  }
}

/// The ending of a group of runs.
public struct RunGroupEnding: Equatable, Sendable {
  /// The ending of each run, in order.
  public let results: [RunEnding]
  /// The number of runs that did not begin, because the group was cancelled.
  public let notRun: Int

  package init(results: [RunEnding], notRun: Int) {
    self.results = results
    self.notRun = notRun
  }

  public var warnings: Int { results.reduce(0) { $0 + $1.warnings } }

  /// The number of runs that ended as expected, with or without warnings.
  public var passed: Int { count(.ok) + count(.warning) }

  /// Returns the number of runs that ended with a status.
  public func count(_ status: RunEnding.Status) -> Int {
    results.count { $0.status == status }
  }

  public var status: RunEnding.Status {
    if count(.cancelled) > 0 || notRun > 0 { return .cancelled }
    if count(.failed) > 0 { return .failed }
    return warnings > 0 ? .warning : .ok
  }

  /// The exit status of the process: 0 if all runs ended as expected, with or without warnings.
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
