// What happens as a suite runs, as values: the feed of its reports.

public import Bluetooth
public import Jobs

/// One thing that happened in a run of a suite.
///
/// The order is: suite-started; for each test its start, its operations with their values, its
/// finish; suite-finished last.
public struct SuiteEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    case suiteStarted(Suite, seed: UInt64)
    /// - Parameter index: Which of the runs, from 1.
    case testStarted(SuiteTest, index: Int)
    case operationStarted(PlacedOperation)
    /// A device that a scan found, as it was received.
    case heard(PlacedOperation, Advertisement)
    /// Somebody is to type this on the device.
    case pairingDisplay(PlacedOperation, PairingDisplay)
    case operationFinished(OperationResult)
    case testFinished(TestResult)
    case suiteFinished(SuiteEnding)
  }

  public let run: RunIdentity
  /// How long after the start of the run, on the loop's clock.
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

/// An operation and its place in the run.
public struct PlacedOperation: Hashable, Sendable {
  /// Which of the runs of the suite, from 1.
  public let test: Int
  /// Which operation of the test, from 1; 0 for its clean-up.
  public let number: Int
  public let operation: Operation
  /// The target it is done to; nil for what is done to none.
  public let target: String?

  public init(test: Int, number: Int, operation: Operation, target: String?) {
    self.test = test
    self.number = number
    self.operation = operation
    self.target = target
  }
}

/// How an operation ended, measured by what was expected of it.
public struct OperationResult: Equatable, Sendable {
  public enum Status: String, Hashable, Sendable {
    case ok
    /// It did not end as expected, which the suite lets pass; or something is to be known.
    case warning
    case failed
    case cancelled
  }

  public let placed: PlacedOperation
  public let status: Status
  public let outcome: StepOutcome?
  /// Why it failed: also where that was expected, and the status is `ok`.
  public let failure: RunFailure?
  /// What is to be known, a sentence each: of warnings, why.
  public let notes: [String]
  public let took: Duration

  public init(
    _ placed: PlacedOperation,
    status: Status,
    outcome: StepOutcome?,
    failure: RunFailure?,
    notes: [String],
    took: Duration
  ) {
    self.placed = placed
    self.status = status
    self.outcome = outcome
    self.failure = failure
    self.notes = notes
    self.took = took
  }
}

/// How a test ended.
public struct TestResult: Equatable, Sendable {
  public let test: SuiteTest
  /// Which of the runs, from 1.
  public let index: Int
  public let status: OperationResult.Status
  /// The operation that failed, if it was one.
  public let failedAt: PlacedOperation?
  public let failure: RunFailure?
  /// How many operations were done.
  public let done: Int
  public let warnings: Int
  public let took: Duration
}

/// How a suite ended.
public struct SuiteEnding: Equatable, Sendable {
  public let results: [TestResult]
  /// How many tests were not run, because the run was ended from outside.
  public let notRun: Int

  public init(results: [TestResult], notRun: Int) {
    self.results = results
    self.notRun = notRun
  }

  public var warnings: Int { results.reduce(0) { $0 + $1.warnings } }

  /// How many tests ended so.
  public func count(_ status: OperationResult.Status) -> Int {
    results.filter { $0.status == status }.count
  }

  public var status: OperationResult.Status {
    if results.contains(where: { $0.status == .cancelled }) || notRun > 0 { return .cancelled }
    if count(.failed) > 0 { return .failed }
    return warnings > 0 ? .warning : .ok
  }

  /// What the process ends with: 0 when all went as expected, warnings or not.
  ///
  /// A signal first, then what concerns this host; 75 only where every failure is a passing one.
  public var exitStatus: ExitStatus {
    let statuses = results.compactMap { $0.failure.map { ExitStatus(after: $0) } }
    if let signal = statuses.first(where: { $0.rawValue > 128 }) { return signal }
    if statuses.contains(.unavailable) { return .unavailable }
    if let other = statuses.first(where: { $0 != .passing }) { return other }
    return statuses.first ?? (notRun > 0 ? .failed : .ok)
  }
}
