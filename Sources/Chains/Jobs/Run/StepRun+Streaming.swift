// Receives many values until a stop condition is met, for `notify`, `poll` and `combine`.

import Bluetooth
import Documents
import Reports
import RunEvents
import Signals

extension StepRun {
  /// Ends the values of a step at its first stop condition.
  ///
  /// - Parameter pieces: The joiner of the values. A value that silence or the device cut off is the
  ///   last one; one that began behind the last wanted value is ignored.
  func bounded(
    _ samples: Signal<Sample>, _ stop: StopConditions, _ measures: Guarded<StreamMeasures>,
    _ pieces: JoinedPieces? = nil
  ) -> Signal<Sample> {
    Signal { [self, loop] sink in
      measures.withLock { $0.begin(at: loop.now) }
      if let duration = stop.duration { awaits(limit: duration) }
      let end = Guarded(StreamEnd.wanted)
      var values = Signal<Sample> { sink in
        try await samples.run(sink)
        end.withLock { $0 = .device }
      }
      if let silence = stop.silence {
        let quiet = Self.quiet(for: silence, of: &values, pieces, on: loop)
        values = values.takeUntil(quiet.map { end.withLock { $0 = .silence } })
      }
      if let duration = stop.duration {
        let over = Signal<Void> { _ in
          try await loop.sleep(for: duration)
          end.withLock { $0 = .duration }
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
      let reason = end.withLock { $0 }
      switch reason {
      case .wanted: _ = pieces?.cutOff()
      case .silence, .device: if let cut = pieces?.cutOff() { try await sink(cut) }
      case .duration: break
      }
      measures.withLock { $0.finish(at: reason.isNow ? loop.now : $0.last ?? loop.now) }
    }
  }

  /// A signal that ends once no value, and no piece of one, has arrived for `silence`.
  private static func quiet(
    for silence: Duration, of samples: inout Signal<Sample>, _ pieces: JoinedPieces?, on loop: Loop
  ) -> Signal<Void> {
    let last = Guarded(loop.now)
    samples = samples.map { sample in
      last.withLock { $0 = loop.now }
      return sample
    }
    return Signal<Void> { sink in
      while true {
        let left = max(last.withLock { $0 }, pieces?.arrival ?? .start) + silence - loop.now
        guard left > .zero else { return try await sink(()) }
        try await loop.sleep(for: left)
      }
    }
  }

  /// Receives values within the timeout of the step: reports, captures and checks each one, then
  /// checks the measures over all.
  ///
  /// - Parameter pieces: The joiners of values in pieces. The step says which values were not
  ///   complete at its end.
  func follow(
    _ samples: Signal<Sample>, _ measures: Guarded<StreamMeasures>, _ pieces: [JoinedPieces] = [],
    of kind: some StreamingKind
  ) async throws {
    let stop = kind.stop
    var progress = chain.progress(of: placed)
    var invalid = InvalidValues()
    chain.beginKeeping(as: step.capture)
    defer {
      chain.keep(measures.withLock { $0 }, as: step.capture)
      if let text = invalid.remark { remark(text) }
      for cut in pieces.compactMap({ $0.cutOff() }) {
        remark("the last value was not complete: \(TextReport.text(cut.value))")
      }
    }
    try await limited(
      samples,
      late: { limit in
        let cut = pieces.compactMap { $0.cutOff() }
        return Self.late(measures.withLock { $0 }, cut, kind, within: limit)
      },
      { sample in
        let value = sample.value
        measures.withLock { $0.add(value, at: sample.arrival, latency: sample.latency) }
        chain.emit(.data(reported, .value(value)), at: sample.arrival)
        let usable = Result { () throws(ValueError) in
          try step.usable(sample.decoded, sample.octets, until: stop.conditions)
        }
        if case .failure(let reason) = usable, step.goesOnAfterInvalid(stop) {
          return invalid.add(value, reason)
        }
        let decoded = try usable.get()
        chain.captureNext(decoded, octets: sample.octets, as: step.capture)
        chain.keep(decoded, octets: sample.octets, length: sample.length, as: step.capture)
        try progress.check(decoded) { sample.octets(for: $0) }
      }
    )
    let (measured, rate) = measures.withLock { ($0, $0.rate(at: loop.now)) }
    if measured.isSilentSinceLoss {
      let losses = counted(measured.losses, "time")
      warn(
        DeviceFailure(
          code: .linkLost, class: .passing, operation: step.participle,
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
    _ samples: Signal<Sample>, _ pieces: [JoinedPieces] = [], of kind: some StreamingKind,
    _ summary: (StreamMeasures, Double) -> StepOutcome
  ) async throws {
    let measures = Guarded(StreamMeasures(from: loop.now))
    defer {
      let measured = measures.withLock { $0 }
      outcome = summary(measured, measured.rate(at: loop.now))
    }
    try await follow(bounded(samples, kind.stop, measures), measures, pieces, of: kind)
  }

  /// The reason that no stop condition was met in time: the progress of the step, and what it
  /// waited for.
  ///
  /// - Parameter cut: The values that were not complete.
  private static func late(
    _ measures: StreamMeasures, _ cut: [Sample], _ kind: some StreamingKind, within limit: Duration
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
    let rest = cut.map { Lateness.cutOff($0.value) }.joined()
    guard count > 0, let last = measures.lastValue else {
      return silent("no value came \(place); waited for \(stop.awaited)\(rest)")
    }
    let shown = Lateness.last(last) + rest
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

/// The reason that no more values come.
private enum StreamEnd {
  /// The count or the conditions, when the last value arrived.
  case wanted
  case silence
  case duration
  /// The subscription, or what else the values come from.
  case device

  var isNow: Bool {
    switch self {
    case .silence, .duration: true
    case .wanted, .device: false
    }
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
