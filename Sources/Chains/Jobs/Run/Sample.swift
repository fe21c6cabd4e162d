// Values as they arrive: the one pipeline behind `notify`, `combine`, `watch` and the suites.

package import Bluetooth
package import Signals

/// One value of a stream.
package struct Sample: Sendable {
  /// What the device sent; empty where the value is joined from several.
  package let octets: [UInt8]
  package let decoded: Result<DecodedValue, ValueError>
  /// When it arrived, on the clock of the loop.
  package let arrival: Instant
  /// How long the read took; nil for a notified value.
  let latency: Duration?
  /// The values that it joins, by name.
  private let parts: [(name: String, value: StepValue)]

  /// Decodes octets in the format of a step.
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

  /// The values of one notification: several where it has several records.
  fileprivate static func all(
    of notified: NotifiedValue, from target: CharacteristicSelector, format: ValueFormat?
  ) -> [Sample] {
    let hasLayout = format == nil && target.handle == nil
    let records =
      hasLayout
      ? StandardValues.records(in: notified.value, of: target.characteristic) : [notified.value]
    return records.map { Sample($0, of: target, format: format, arrival: notified.at) }
  }

  /// Several values as the fields of one. Its arrival is that of the last of them.
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

  /// The value for events; in a joined one, a part that is out of its range is bytes.
  package var value: StepValue {
    let value = StepValue(octets, decoded)
    guard !parts.isEmpty, let problem = value.problem else { return value }
    let fields = parts.map { name, part in
      DecodedValue.Field(name, part.decoded ?? .octets(part.octets))
    }
    return StepValue(octets: [], decoded: .fields(fields), problem: problem)
  }

  /// The octets for a check.
  func octets(for subject: Expectation.Subject) -> [UInt8] {
    guard case .field(let name) = subject else { return octets }
    return parts.first { name == $0.name || name.hasPrefix($0.name + ".") }?.value.octets ?? octets
  }
}

extension Device {
  /// Subscribes to a characteristic, then runs the signal that `body` makes of the values.
  ///
  /// - Parameters:
  ///   - onGap: Called at each place where values are missing.
  ///   - body: Called once the subscription is active, with the values from then on.
  /// - Returns: What `body` sends; the subscription lasts until that ends. Fails as a subscription
  ///   does.
  package func listening<Value: Sendable>(
    to target: CharacteristicSelector, format: ValueFormat? = nil,
    options: SubscriptionOptions = SubscriptionOptions(),
    onGap: @escaping @Sendable (NotificationGap) -> Void = { _ in },
    _ body: @escaping @Sendable (Signal<Sample>) -> Signal<Value>
  ) -> Signal<Value> {
    subscribe(target, options).flattenMap { events in
      body(
        Signal { sink in
          try await events.run { event in
            switch event {
            case .gap(let gap): onGap(gap)
            case .value(let notified):
              for sample in Sample.all(of: notified, from: target, format: format) {
                try await sink(sample)
              }
            }
          }
        }
      )
    }
  }

  /// The values of a characteristic that is read at once and then in each period, with the latencies
  /// of the reads.
  ///
  /// - Parameter limit: How long one read may take; nil leaves that to the deadlines of the caller.
  package func reads(
    of target: CharacteristicSelector, _ format: ValueFormat? = nil, every period: Duration,
    limit: Duration? = nil
  ) -> Signal<Sample> {
    .poll(every: period) { [scheduler] in
      Signal { sink in
        let loop = scheduler.loop
        let start = loop.now
        let one = read(target)
        try await (limit.map { one.timeout($0, "reading \(target)") } ?? one).run { octets in
          let now = loop.now
          try await sink(
            Sample(octets, of: target, format: format, arrival: now, latency: now - start)
          )
        }
      }
    }
  }
}
