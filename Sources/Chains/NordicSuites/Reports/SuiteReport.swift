// The protocol for reports of a suite (events in, lines out), and the adapter that runs one.

public import Jobs
import Signals

/// An event of a run of a suite.
///
/// `started` is first, `finished` last. Between them come the events of each test.
public struct SuiteEvent: Sendable {
  public enum Change: Sendable {
    case started(Suite)
    /// An event of a test. A test is reported as a run whose steps are its operations; the offsets count from
    /// the start of the test.
    ///
    /// - Parameter index: The ordinal of the test in the run of the suite, from 1.
    case test(SuiteTest, index: Int, RunEvent)
    case finished(SuiteEnding)
  }

  let run: RunIdentity
  /// The time since the start of the suite, by the loop's clock.
  let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  let wallClock: Duration
  let change: Change
}

/// Converts events of suites to lines without line ends. Pure: it writes nothing.
public protocol SuiteReport: Sendable {
  /// Returns the lines for one event; none if the report omits it.
  func lines(for event: SuiteEvent) -> [String]
}

/// A report of a run of a suite, made from the events of its tests in their order.
public final class ReportOfSuite: RunReport {
  private struct State {
    /// The start of the suite.
    var begun: Duration?
    /// The ordinal of the current test.
    var index = 0
    var results: [RunEnding] = []
  }

  private let report: any SuiteReport
  private let suite: Suite
  private let isQuiet: Bool
  private let state = Guarded(State())

  /// Creates the report of a run.
  ///
  /// - Parameter isQuiet: Whether events without data and without a failure are omitted.
  public init(_ report: any SuiteReport, of suite: Suite, isQuiet: Bool = false) {
    (self.report, self.suite, self.isQuiet) = (report, suite, isQuiet)
  }

  public func lines(for event: RunEvent) -> [String] {
    let (begun, changes) = state.withLock { state in
      (state.begun ?? event.wallClock, Self.changes(event, of: suite, &state))
    }
    return changes.filter { !isQuiet || $0.hasDataOrFailure }.flatMap { change in
      report.lines(
        for: SuiteEvent(
          run: event.run, offset: event.wallClock - begun, wallClock: event.wallClock,
          change: change
        )
      )
    }
  }

  private static func changes(
    _ event: RunEvent, of suite: Suite, _ state: inout State
  ) -> [SuiteEvent.Change] {
    var changes: [SuiteEvent.Change] = []
    if case .runStarted(let start) = event.change, let test = start.test {
      if state.begun == nil {
        state.begun = event.wallClock
        changes.append(.started(suite))
      }
      state.index = test.index
    }
    guard suite.runs.indices.contains(state.index - 1) else { return [] }
    changes.append(.test(suite.runs[state.index - 1], index: state.index, event))
    if case .runFinished(let ending) = event.change {
      state.results.append(ending)
      if ending.status == .cancelled || state.index == suite.runs.count {
        let notRun = suite.runs.count - state.results.count
        changes.append(.finished(SuiteEnding(results: state.results, notRun: notRun)))
      }
    }
    return changes
  }
}

extension SuiteEvent.Change {
  fileprivate var hasDataOrFailure: Bool {
    switch self {
    case .started: false
    case .test(_, _, let run): run.hasDataOrFailure
    case .finished(let ending): ending.exitStatus != .ok
    }
  }
}
