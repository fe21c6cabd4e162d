// Adds the part of a trace to each failure.
//
// It is between a run and its report, and only changes failures.

public import Bluetooth
import Signals

/// Forwards events, and adds the part of a trace that belongs to a failed step.
public final class TracedReport: Sendable {
  private struct State {
    /// The running steps, the innermost last, with the number of packets when each began.
    var begun: [(position: StepPosition, mark: Int)] = []
    /// The last failed step, with whose failure the run may end, and its part of the trace.
    var failed: (position: StepPosition, slice: TraceSlice)?
  }

  private let trace: any RunTrace
  private let report: @Sendable (RunEvent) -> Void
  private let state = Guarded(State())

  /// Adds the parts of a trace to the failures that are reported.
  ///
  /// ```swift
  /// func traced(by trace: any RunTrace) -> @Sendable (RunEvent) -> Void {
  ///   TracedReport(trace) { event in print(TextReport().lines(for: event)) }.receive
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - trace: The trace that records meanwhile.
  ///   - report: Receives every event of ``ChainRunner``.
  public init(_ trace: any RunTrace, _ report: @escaping @Sendable (RunEvent) -> Void) {
    self.trace = trace
    self.report = report
  }

  /// Forwards an event.
  @Sendable public func receive(_ event: RunEvent) {
    switch event.change {
    case .stepStarted(let step):
      let mark = trace.mark()
      state.withLock { $0.begun.append((step.position, mark)) }
      report(event)
    case .stepFinished(let result):
      report(event.with(.stepFinished(finished(result))))
    case .runFinished(let ending):
      report(event.with(.runFinished(finished(ending))))
    case .runStarted, .value, .advertisement, .gap, .pairingDisplay:
      report(event)
    }
  }

  private func finished(_ result: StepResult) -> StepResult {
    let mark = state.withLock { state in
      let index = state.begun.lastIndex { $0.position == result.step.position }
      return index.map { state.begun.remove(at: $0).mark }
    }
    guard let failure = result.failure, let mark, let slice = trace.slice(since: mark) else {
      return result
    }
    state.withLock { $0.failed = (result.step.position, slice) }
    return StepResult(
      result.step,
      status: result.status,
      outcome: result.outcome,
      failure: failure.traced(slice),
      notes: result.notes,
      took: result.took
    )
  }

  private func finished(_ ending: RunEnding) -> RunEnding {
    let failed = state.withLock { $0.failed }
    guard let failure = ending.failure, let failed, ending.step?.position == failed.position else {
      return ending
    }
    var traced = ending
    traced.failure = failure.traced(failed.slice)
    return traced
  }
}

extension RunEvent {
  fileprivate func with(_ change: Change) -> RunEvent {
    RunEvent(
      run: run,
      device: device,
      attempt: attempt,
      offset: offset,
      wallClock: wallClock,
      change: change
    )
  }
}

extension RunFailure {
  /// The failure with its part of a trace.
  fileprivate func traced(_ slice: TraceSlice) -> RunFailure {
    var traced = self
    traced.trace = slice
    return traced
  }
}
