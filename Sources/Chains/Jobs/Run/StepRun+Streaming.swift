// Receives many values until a stop condition is met, for `notify`, `poll` and `combine`.

import Bluetooth
import Documents
import Signals

extension StepRun {
  /// Ends the values of a step at its first stop condition.
  func bounded(
    _ samples: Signal<Sample>, _ stop: StopConditions, _ measures: Guarded<StreamMeasures>
  ) -> Signal<Sample> {
    Signal { [self, loop] sink in
      measures.withLock { $0.begin(at: loop.now) }
      if let duration = stop.duration { awaits(limit: duration) }
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
          return stop.conditions.areMet(by: value, octets: sample.octets)
        }
      }
      try await values.run(sink)
      // A duration or silence ends now; a count or condition ended when the last value arrived.
      let isOver = timeIsUp.withLock { $0 }
      measures.withLock { $0.finish(at: isOver ? loop.now : $0.last ?? loop.now) }
    }
  }

  /// A signal that ends once no value has arrived for `silence`.
  private static func quiet(
    for silence: Duration, of samples: inout Signal<Sample>, on loop: Loop
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

  /// Receives values within the timeout of the step: reports, captures and checks each one, then
  /// checks the measures over all.
  func follow(
    _ samples: Signal<Sample>, _ measures: Guarded<StreamMeasures>, of kind: some StreamingKind
  ) async throws {
    let (reported, stop) = (placed.reported, kind.stop)
    var progress = chain.progress(of: placed)
    var invalid = InvalidValues()
    defer {
      chain.keep(measures.withLock { $0 }, as: step.capture)
      if let text = invalid.remark { remark(text) }
    }
    try await limited(
      samples, late: { limit in Self.late(measures.withLock { $0 }, kind, within: limit) },
      { sample in
        let value = sample.value
        measures.withLock { $0.take(value, at: sample.arrival, latency: sample.latency) }
        chain.emit(.value(reported, value), at: sample.arrival)
        let usable = Result { () throws(ValueError) in
          try step.usable(sample.decoded, sample.octets, until: stop.conditions)
        }
        if case .failure(let reason) = usable, step.goesOnAfterInvalid(stop) {
          return invalid.add(value, reason)
        }
        let decoded = try usable.get()
        capture(decoded, octets: sample.octets)
        try progress.check(decoded) { sample.octets(for: $0) }
      }
    )
    let (measured, rate) = measures.withLock { ($0, $0.rate(at: loop.now)) }
    if measured.isSilentSinceLoss {
      let losses = counted(measured.losses, "time")
      warn(
        DeviceFailure(
          code: .linkLost, class: .passing, operation: step.doing,
          device: service.deviceDescription,
          meaning: "the link was lost \(losses), and no value came after that",
          hint: "bring the device closer or check its power, and try again"
        )
      )
    }
    try progress.check(measured, rate: rate)
    chain.keep(progress, of: placed)
  }

  /// Receives values until a stop condition is met, and sets the outcome even after a failure.
  func gather(
    _ samples: Signal<Sample>, of kind: some StreamingKind,
    _ summary: (StreamMeasures, Double) -> StepOutcome
  ) async throws {
    let measures = Guarded(StreamMeasures(from: loop.now))
    defer {
      let measured = measures.withLock { $0 }
      outcome = summary(measured, measured.rate(at: loop.now))
    }
    try await follow(bounded(samples, kind.stop, measures), measures, of: kind)
  }

  /// The reason that no stop condition was met in time: the progress of the step, and what it
  /// waited for.
  private static func late(
    _ measures: StreamMeasures, _ kind: some StreamingKind, within limit: Duration
  ) -> Lateness {
    let (stop, trigger) = (kind.stop, kind.trigger)
    let time = "within \(limit.written)"
    switch (measures.phase, trigger) {
    case (.starting, _): return Lateness("the subscription was not active \(time)")
    case (.triggering, let write?):
      return Lateness("the write to \(write.target) was not answered \(time)")
    case (.triggering, nil), (.receiving, _): break
    }
    let after = trigger.map { write in
      let done = write.kind == .command ? "sent" : "accepted"
      return "\(time) after the write to \(write.target), which was \(done)"
    }
    let (count, losses) = (measures.count, measures.losses)
    let place =
      (after ?? time)
      + (losses > 0 ? ", while the link was lost \(counted(losses, "time"))" : "")
    let silent: (String) -> Lateness = { losses > 0 ? .unstable($0) : .silent($0) }
    guard count > 0, let last = measures.lastValue else {
      return silent("no value came \(place); waited for \(stop.awaited)")
    }
    let shown = Lateness.last(last)
    let values = counted(count, "value")
    if let wanted = stop.count {
      return silent("\(count) of \(wanted) values came \(place)\(shown)")
    }
    if !stop.conditions.isEmpty {
      return silent("\(values) came \(place), none of them with \(stop.awaited)\(shown)")
    }
    return silent("\(values) came \(place); waited for \(stop.awaited)\(shown)")
  }
}

extension StopConditions {
  /// The awaited stop condition of a step without a duration, for failures.
  fileprivate var awaited: String {
    if !conditions.isEmpty { return conditions.map(\.description).joined(separator: " and ") }
    if let count { return counted(count, "value") }
    return silence.map { "\($0.written) without a value" } ?? "the end of its time"
  }
}

/// The values that did not match their format while the step continued.
private struct InvalidValues {
  private var count = 0
  private var first: (value: StepValue, reason: ValueError)?

  mutating func add(_ value: StepValue, _ reason: ValueError) {
    count += 1
    if first == nil { first = (value, reason) }
  }

  /// The number of invalid values, and the reason for the first; nil for none.
  var remark: String? {
    first.map { first in
      let which = count == 1 ? "" : "; the first"
      let text = TextReport.text(first.value)
      // The text of an undecodable value already contains the reason.
      let reason = first.value.problem == "\(first.reason)" ? "" : ": \(first.reason)"
      return "\(counted(count, "invalid value"))\(which): \(text)\(reason)"
    }
  }
}

extension Step {
  /// Whether the step continues after a value that does not match its format. By default it does if
  /// it has a duration and no expectations.
  fileprivate func goesOnAfterInvalid(_ stop: StopConditions) -> Bool {
    switch stop.onInvalid {
    case .report?: true
    case .fail?: false
    case nil: stop.duration != nil && expectations.isEmpty
    }
  }
}
