// What `notify`, `poll` and `combine` share: receiving many values.

import Bluetooth
import Signals

extension ChainRun {
  /// The values of a step until a stop condition is met.
  func bounded(
    _ samples: Signal<Sample>,
    _ stop: StopConditions,
    _ measures: Guarded<StreamMeasures>,
    _ placed: PlacedStep
  ) -> Signal<Sample> {
    Signal { [self, loop] sink in
      measures.withLock { $0.begin(at: loop.now) }
      if let duration = stop.duration { awaits(placed, limit: duration) }
      let timeIsUp = Guarded(false)
      var values = samples
      if let silence = stop.silence {
        let quiet = Self.quiet(for: silence, of: &values, on: loop)
        values = values.takeUntil(quiet.map { timeIsUp.withLock { $0 = true } })
      }
      if let duration = stop.duration {
        let over = Signal<Void> { _ in
          try await loop.sleep(for: duration)
          timeIsUp.withLock { $0 = true }
        }
        values = values.takeUntil(over)
      }
      if let count = stop.count { values = values.take(count) }
      if !stop.conditions.isEmpty {
        values = values.takeThrough { sample in
          let value = (try? sample.decoded.get()) ?? .octets(sample.octets)
          return stop.isMet(by: value, octets: sample.octets)
        }
      }
      try await values.run(sink)
      // A duration ends now; a count or a condition ended it when the last value arrived.
      let isOver = timeIsUp.withLock { $0 }
      measures.withLock { $0.finish(at: isOver ? loop.now : $0.last ?? loop.now) }
    }
  }

  /// Ends when no value has been received for a time.
  private static func quiet(
    for silence: Duration,
    of samples: inout Signal<Sample>,
    on loop: Loop
  ) -> Signal<Void> {
    let last = Guarded(loop.now)
    samples = samples.map { sample in
      last.withLock { $0 = loop.now }
      return sample
    }
    return Signal<Void> { sink in
      while true {
        let left = last.withLock { $0 } + silence - loop.now
        guard left > .zero else { return try await sink(()) }
        try await loop.sleep(for: left)
      }
    }
  }

  /// Receives values within the limit of the step: reports, captures and checks each value, then
  /// checks the measures over all of them.
  func follow(
    _ samples: Signal<Sample>,
    _ measures: Guarded<StreamMeasures>,
    _ placed: PlacedStep,
    _ stop: StopConditions
  ) async throws {
    let step = placed.reported
    var progress = progress(of: placed)
    defer { keep(measures.withLock { $0 }, as: placed.step.capture) }
    try await limited(
      samples,
      placed,
      late: { limit in Self.late(measures.withLock { $0 }.count, stop, within: limit) },
      { sample in
        measures.withLock { $0.take(at: sample.arrival, latency: sample.latency) }
        emit(.value(step, sample.value), at: sample.arrival)
        let usable = try placed.step.usable(
          sample.decoded,
          sample.octets,
          until: stop.conditions
        )
        capture(usable, octets: sample.octets, as: placed.step.capture)
        try progress.check(usable) { sample.octets(for: $0) }
      }
    )
    let (measured, rate) = measures.withLock { ($0, $0.rate(at: loop.now)) }
    try progress.check(measured, rate: rate)
    keep(progress, of: placed)
  }

  private static func late(_ count: Int, _ stop: StopConditions, within limit: Duration) -> String {
    let time = "within \(limit.written)"
    let values = counted(count, "value")
    if let wanted = stop.count { return "\(count) of \(wanted) values came \(time)" }
    if !stop.conditions.isEmpty {
      let wanted = stop.conditions.map(\.description).joined(separator: " and ")
      return "\(values) came \(time), none of them with \(wanted)"
    }
    if let silence = stop.silence {
      return "\(values) came \(time), and it was never quiet for \(silence.written)"
    }
    return "the subscription was not active \(time)"
  }
}
