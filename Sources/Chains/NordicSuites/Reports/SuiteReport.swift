// A report of a suite: the events of its tests in, lines out.

public import Jobs
import Signals

/// One thing that happened in a run of a suite.
///
/// The order is: started; for each test the events of a run; finished last.
public struct SuiteEvent: Sendable {
  public enum Change: Sendable {
    case started(Suite)
    /// A test is a run, with its operations as steps. Offsets of its events count from its own
    /// start.
    ///
    /// - Parameter index: The ordinal of the test in the run of the suite, from 1.
    case test(SuiteTest, index: Int, RunEvent)
    case finished(SuiteEnding)
  }

  let run: RunIdentity
  /// How long after the start of the suite, on the loop's clock.
  let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z.
  let wallClock: Duration
  let change: Change
}

/// Turns events of suites into lines, each without its line end. Pure: it writes nothing.
public protocol SuiteReport: Sendable {
  /// The lines for one event; none for events that the report leaves out.
  func lines(for event: SuiteEvent) -> [String]
}

/// Reports a run of a suite from the events of its tests, in the order in which they happen.
public final class ReportOfSuite: RunReport {
  private struct State {
    /// When the suite began.
    var begun: Duration?
    /// The ordinal of the test under way.
    var index = 0
    var results: [RunEnding] = []
  }

  private let report: any SuiteReport
  private let suite: Suite
  private let isQuiet: Bool
  private let state = Guarded(State())

  /// - Parameter isQuiet: Whether events without data or a failure are left out.
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
