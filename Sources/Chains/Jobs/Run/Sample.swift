// Values as they arrive, for `notify`, `poll`, `combine`, `watch` and the suites.

package import Bluetooth
import RunEvents
package import Signals

/// A value in a stream.
package struct Sample: Sendable {
  /// The bytes from the device; empty for a value joined from several.
  package let octets: [UInt8]
  package let decoded: Result<DecodedValue, ValueError>
  /// The arrival time, on the clock of the loop.
  package let arrival: Instant
  /// The duration of the read; nil for a notified value.
  let latency: Duration?
  /// The joined values, by name; empty for a single value.
  private let parts: [(name: String, value: StepValue)]

  /// Decodes the bytes with an explicit format or that of the characteristic.
  init(
    _ octets: [UInt8], of target: CharacteristicSelector, format: ValueFormat?, arrival: Instant,
    latency: Duration? = nil
  ) {
    self.octets = octets
    self.arrival = arrival
    self.latency = latency
    parts = []
    decoded = Result { () throws(ValueError) in
      try StepValue.decode(octets, of: target, format: format)
    }
  }

  /// Wraps a value that is not bytes of the device, such as an RSSI.
  init(measured value: DecodedValue, arrival: Instant, latency: Duration? = nil) {
    octets = []
    self.arrival = arrival
    self.latency = latency
    parts = []
    decoded = .success(value)
  }

  /// Splits a notification into its records; most characteristics have one.
  fileprivate static func all(
    of notified: NotifiedValue, from target: CharacteristicSelector, format: ValueFormat?
  ) -> [Sample] {
    let description = format == nil ? target.names.description(of: target.uuid) : nil
    let records = description?.records(in: notified.value) ?? [notified.value]
    return records.map { Sample($0, of: target, format: format, arrival: notified.at) }
  }

  /// Joins several values as the fields of one. Its arrival time is the latest of theirs.
  init(joining samples: [Sample], names: [String]) {
    octets = []
    latency = nil
    arrival = samples.map(\.arrival).max() ?? .start
    parts = zip(names, samples).map { ($0, $1.value) }
    decoded = Result { () throws(ValueError) in
      var fields: [DecodedValue.Field] = []
      for (name, sample) in zip(names, samples) {
        let part = sample.decoded.mapError { $0.inside(name) }
        fields.append(DecodedValue.Field(name, try part.get()))
      }
      return .fields(fields)
    }
  }

  /// The value for events. If a joined part cannot be decoded, its field has the bytes instead.
  package var value: StepValue {
    let value = StepValue(octets, decoded)
    guard !parts.isEmpty, let problem = value.problem else { return value }
    let fields = parts.map { name, part in
      DecodedValue.Field(name, part.decoded ?? .octets(part.octets))
    }
    return StepValue(octets: [], decoded: .fields(fields), problem: problem)
  }

  /// The number of bytes, also of the parts of a joined value.
  var length: Int { octets.count + parts.reduce(0) { $0 + $1.value.octets.count } }

  /// The bytes for a check: those of the part that the subject names, if the value is joined.
  func octets(for subject: Expectation.Subject) -> [UInt8] {
    guard case .field(let name) = subject else { return octets }
    return parts.first { name == $0.name || name.hasPrefix($0.name + ".") }?.value.octets ?? octets
  }
}

extension Device {
  /// Subscribes to a characteristic, then runs the signal that `body` creates from the values.
  ///
  /// - Parameters:
  ///   - pieces: The joiner of values in pieces, if the caller looks at it. A value that a gap cut
  ///     off is one that does not match its format.
  ///   - onGap: Called for each gap in which notifications were lost.
  ///   - body: Called once the subscription is active, with the values from then on.
  /// - Returns: The values of the signal from `body`; the subscription ends with that signal. Fails
  ///   as a subscription does.
  package func listening<Value: Sendable>(
    to target: CharacteristicSelector, format: ValueFormat? = nil,
    options: SubscriptionOptions = SubscriptionOptions(), pieces: JoinedPieces? = nil,
    onGap: @escaping @Sendable (NotificationGap) -> Void = { _ in },
    _ body: @escaping @Sendable (Signal<Sample>) -> Signal<Value>
  ) -> Signal<Value> {
    subscribe(target, options).flattenMap { events in
      body(
        Signal { sink in
          let pieces = pieces ?? JoinedPieces(target, format)
          try await events.run { event in
            switch event {
            case .gap(let gap):
              if let cut = pieces?.cutOff() { try await sink(cut) }
              onGap(gap)
            case .value(let notified):
              if let pieces {
                for sample in pieces.add(notified) { try await sink(sample) }
                return
              }
              for sample in Sample.all(of: notified, from: target, format: format) {
                try await sink(sample)
              }
            }
          }
        }
      )
    }
  }

  /// Reads a characteristic at once, then once in each period, with the latency of each read.
  ///
  /// - Parameter limit: The timeout of one read; nil for none but the caller's deadlines.
  package func reads(
    of target: CharacteristicSelector, _ format: ValueFormat? = nil, every period: Duration,
    limit: Duration? = nil
  ) -> Signal<Sample> {
    samples(every: period, limit: limit, "reading \(target)", read(target)) {
      Sample($0, of: target, format: format, arrival: $1, latency: $2)
    }
  }

  /// Runs an operation at once, then once in each period.
  ///
  /// - Parameters:
  ///   - limit: The timeout of one operation; nil for none but the caller's deadlines.
  ///   - what: The operation as a participle.
  ///   - sample: Makes the sample of a result, the time of its arrival and its latency.
  func samples<Value: Sendable>(
    every period: Duration, limit: Duration?, _ what: String, _ operation: Signal<Value>,
    _ sample: @escaping @Sendable (Value, Instant, Duration) -> Sample
  ) -> Signal<Sample> {
    .poll(every: period) { [scheduler] in
      Signal { sink in
        let loop = scheduler.loop
        let start = loop.now
        try await (limit.map { operation.timeout($0, what) } ?? operation).run { value in
          let now = loop.now
          try await sink(sample(value, now, now - start))
        }
      }
    }
  }
}
