// Runs `poll` and `combine`.

import Bluetooth
import Signals

extension ChainRun {
  func poll(
    _ polling: Polling,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let reads = runner.service.reads(of: polling.target, polling.format, every: polling.period)
    try await gather(reads, polling.stop, placed, &outcome) { measures, rate in
      .polled(PollSummary(measures, rate: rate))
    }
  }

  func combine(
    _ combining: Combining,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let names = combining.inputs.map(\.name)
    let joined = Signal<Sample>.combineLatest(combining.inputs.map { samples($0) })
      .map { Sample(joining: $0, names: names) }
    try await gather(joined, combining.stop, placed, &outcome) { measures, rate in
      .listened(count: measures.count, rate: rate)
    }
  }

  /// Receives values until a stop condition is met, and sets the outcome whatever the ending.
  private func gather(
    _ samples: Signal<Sample>,
    _ stop: StopConditions,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    _ summary: (StreamMeasures, Double) -> StepOutcome
  ) async throws {
    let measures = Guarded(StreamMeasures(from: loop.now))
    defer {
      let measured = measures.withLock { $0 }
      outcome = summary(measured, measured.rate(at: loop.now))
    }
    try await follow(bounded(samples, stop, measures, placed), measures, placed, stop)
  }

  private func samples(_ input: Combining.Input) -> Signal<Sample> {
    switch input.source {
    case .poll(let period):
      return runner.service.reads(of: input.target, input.format, every: period)
    case .notify:
      return runner.service.listening(to: input.target, format: input.format) { $0 }
    }
  }
}
