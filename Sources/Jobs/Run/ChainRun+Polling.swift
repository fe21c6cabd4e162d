// Reading again and again, and several values together.

import Bluetooth
import Signals

extension ChainRun {
  func poll(
    _ polling: Polling,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let measures = Guarded(StreamMeasures(from: loop.now))
    defer {
      let measured = measures.withLock { $0 }
      outcome = .polled(PollSummary(measured, rate: measured.rate(at: loop.now)))
    }
    let reads = reads(polling.target, polling.format, every: polling.period)
    try await follow(bounded(reads, polling.enough, measures), measures, placed, polling.enough)
  }

  func combine(
    _ combining: Combining,
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?
  ) async throws {
    let measures = Guarded(StreamMeasures(from: loop.now))
    defer {
      let measured = measures.withLock { $0 }
      outcome = .listened(count: measured.count, rate: measured.rate(at: loop.now))
    }
    let names = combining.inputs.map(\.name)
    let joined = Signal<Sample>.combineLatest(combining.inputs.map { samples($0) })
      .map { Sample(joining: $0, names: names) }
    try await follow(
      bounded(joined, combining.enough, measures),
      measures,
      placed,
      combining.enough
    )
  }

  private func samples(_ input: Combining.Input) -> Signal<Sample> {
    switch input.source {
    case .poll(let period): return reads(input.target, input.format, every: period)
    case .notify:
      return runner.service.notifications(input.target).map { notification in
        Sample(notification.value, of: input.target, format: input.format)
      }
    }
  }

  /// A value read at once and then each period, with how long that took.
  private func reads(
    _ target: CharacteristicSelector,
    _ format: ValueFormat?,
    every period: Duration
  ) -> Signal<Sample> {
    .poll(every: period) { [service = runner.service, loop] in
      Signal { sink in
        let start = loop.now
        try await service.read(target).run { octets in
          try await sink(Sample(octets, of: target, format: format, latency: loop.now - start))
        }
      }
    }
  }
}

/// What a `poll` came to.
public struct PollSummary: Equatable, Sendable {
  /// How many values were read.
  public let count: Int
  /// How many a second.
  public let rate: Double
  /// How long half of the reads took at most, 95 % of them, 99 %; nil when there were none.
  public let latencies: Percentiles?

  init(_ measures: StreamMeasures, rate: Double) {
    count = measures.count
    self.rate = rate
    if let p50 = measures[.latencyP50], let p95 = measures[.latencyP95],
      let p99 = measures[.latencyP99]
    {
      latencies = Percentiles(p50: p50, p95: p95, p99: p99)
    } else {
      latencies = nil
    }
  }
}

/// How long things took: half of them at most so long, 95 % of them, 99 %.
public struct Percentiles: Equatable, Sendable {
  public let p50: Duration
  public let p95: Duration
  public let p99: Duration
}
