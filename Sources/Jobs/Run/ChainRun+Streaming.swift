// Steps that take many values: what notify, poll and combine have in common.

import Bluetooth
import Signals

/// One value of many.
struct Sample: Sendable {
  /// What the device sent; nothing where it is put together from several values.
  var octets: [UInt8]
  let decoded: Result<DecodedValue, ValueError>
  /// How long it was read for.
  var latency: Duration?
  /// The values that it is put together from, by their names.
  var parts: [(name: String, octets: [UInt8])] = []

  /// Understands octets as a step says.
  init(
    _ octets: [UInt8],
    of target: CharacteristicSelector,
    format: ValueFormat?,
    latency: Duration? = nil
  ) {
    self.octets = octets
    self.latency = latency
    decoded = Result { () throws(ValueError) in
      try StepValue.decode(octets, of: target, format: format)
    }
  }

  /// Several values as one, each a field.
  init(joining samples: [Sample], names: [String]) {
    octets = []
    parts = zip(names, samples).map { ($0, $1.octets) }
    decoded = Result { () throws(ValueError) in
      var fields: [DecodedValue.Field] = []
      for (name, sample) in zip(names, samples) {
        fields.append(DecodedValue.Field(name, try sample.decoded.get()))
      }
      return .fields(fields)
    }
  }

  /// The octets that a check looks at.
  func octets(for subject: Expectation.Subject) -> [UInt8] {
    guard case .field(let name) = subject else { return octets }
    return parts.first { name == $0.name || name.hasPrefix($0.name + ".") }?.octets ?? octets
  }
}

extension ChainRun {
  /// The values that a step wants, from the moment on in which this is run.
  func bounded(
    _ samples: Signal<Sample>,
    _ enough: Enough,
    _ measures: Guarded<StreamMeasures>
  ) -> Signal<Sample> {
    Signal { [loop] sink in
      measures.withLock { $0.begin(at: loop.now) }
      var values = samples
      if let silence = enough.silence { values = Self.untilQuiet(values, for: silence, on: loop) }
      if let duration = enough.duration {
        values = values.takeUntil(Signal<Void> { _ in try await loop.sleep(for: duration) })
      }
      if let count = enough.count { values = values.take(count) }
      if !enough.conditions.isEmpty {
        values = values.takeThrough { sample in
          let value = (try? sample.decoded.get()) ?? .octets(sample.octets)
          return enough.isMet(by: value, octets: sample.octets)
        }
      }
      try await values.run(sink)
      measures.withLock { $0.finish(at: loop.now) }
    }
  }

  private static func untilQuiet(
    _ samples: Signal<Sample>,
    for silence: Duration,
    on loop: Loop
  ) -> Signal<Sample> {
    Signal { sink in
      let last = Guarded(loop.now)
      let quiet = Signal<Void> { _ in
        while true {
          let left = last.withLock { $0 } + silence - loop.now
          guard left > .zero else { return }
          try await loop.sleep(for: left)
        }
      }
      try await samples.map { sample in
        last.withLock { $0 = loop.now }
        return sample
      }.takeUntil(quiet).run(sink)
    }
  }

  /// Takes values within the limit of the step: tells, keeps and checks each, then all of them.
  func follow(
    _ samples: Signal<Sample>,
    _ measures: Guarded<StreamMeasures>,
    _ placed: PlacedStep,
    _ enough: Enough
  ) async throws {
    var progress = progress(of: placed)
    defer { keep(measures.withLock { $0 }, as: placed.step.capture) }
    try await limited(
      samples,
      placed,
      late: { limit in Self.late(measures.withLock { $0 }.count, enough, within: limit) },
      { sample in
        measures.withLock { $0.take(at: loop.now, latency: sample.latency) }
        let value = StepValue(octets: sample.octets, decoded: try? sample.decoded.get())
        emit(.value(placed, value))
        let decoded = try sample.decoded.get()
        capture(decoded, as: placed.step.capture)
        try progress.check(decoded) { sample.octets(for: $0) }
      }
    )
    let (measured, rate) = measures.withLock { ($0, $0.rate(at: loop.now)) }
    try progress.check(measured, rate: rate)
    keep(progress, of: placed)
  }

  private static func late(_ count: Int, _ enough: Enough, within limit: Duration) -> String {
    let time = "within \(limit.written)"
    let values = count == 1 ? "1 value" : "\(count) values"
    if let wanted = enough.count { return "\(count) of \(wanted) values came \(time)" }
    if !enough.conditions.isEmpty {
      let wanted = enough.conditions.map(\.description).joined(separator: " and ")
      return "\(values) came \(time), none of them with \(wanted)"
    }
    if let silence = enough.silence {
      return "\(values) came \(time), and it was never quiet for \(silence.written)"
    }
    return "the subscription did not stand \(time)"
  }
}
