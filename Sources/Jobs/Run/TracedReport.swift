// Where in a trace each failure is.
//
// It stands between a run and its report, and changes nothing but failures.

public import Bluetooth
import Signals

/// Passes events on, with the part of a trace that belongs to each failed step.
public final class TracedReport: Sendable {
  private struct State {
    /// The steps under way, the innermost last, with the packets there were when each began.
    var begun: [(position: StepPosition, mark: Int)] = []
    /// The step whose failure the run may end with, and its part of the trace.
    var failed: (position: StepPosition, slice: TraceSlice)?
  }

  private let trace: any RunTrace
  private let report: @Sendable (RunEvent) -> Void
  private let state = Guarded(State())

  /// - Parameter report: Gets every event, as ``ChainRunner`` would give it.
  public init(_ trace: any RunTrace, _ report: @escaping @Sendable (RunEvent) -> Void) {
    self.trace = trace
    self.report = report
  }

  /// Passes an event on.
  @Sendable public func hear(_ event: RunEvent) {
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
    return RunEnding(
      status: ending.status,
      failure: failure.traced(failed.slice),
      step: ending.step,
      done: ending.done,
      warnings: ending.warnings
    )
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
  /// The same failure, with its part of a trace.
  fileprivate func traced(_ slice: TraceSlice) -> RunFailure {
    RunFailure(
      code: code,
      class: `class`,
      what: what,
      why: why,
      bluez: bluez,
      hint: hint,
      signal: signal,
      trace: slice,
      expectation: expectation
    )
  }
}
