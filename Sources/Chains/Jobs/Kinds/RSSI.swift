// `rssi`: measures the RSSI of the connection, once or at a fixed interval: `rssi` and `txPower` in
// dBm.

import Bluetooth
import Documents
import Signals

/// The interval and stop conditions of an `rssi` step.
public struct RSSIStep: Hashable, Sendable {
  /// The interval between the starts of two measurements; nil for a single one.
  public var period: Duration?
  /// The stop conditions of repeated measurements.
  public var stop: StopConditions

  /// Creates a measurement, or several at a fixed interval.
  ///
  /// ```swift
  /// let step = Step(.rssi(RSSIStep(every: .seconds(1), StopConditions(duration: .seconds(10)))))
  /// ```
  public init(every period: Duration? = nil, _ stop: StopConditions = StopConditions()) {
    self.period = period
    self.stop = stop
  }

  /// The expected duration; nil if it is unknown.
  private var length: Duration? {
    stop.duration ?? period.flatMap { period in stop.count.map { period * ($0 - 1) } }
  }
}

extension RSSIStep: StreamingKind {
  init() { self.init(every: nil) }

  static let verb = "rssi"
  static let documentation =
    "measures the RSSI of the connection, once, or at a fixed interval with `every`: `rssi` and `txPower` in dBm"
  static let common: [Key<Step>] = [.as, .expect, .timeout]
  static let titleKeys = 0
  static let keys: [Key<RSSIStep>] =
    [
      Key(
        "every", \.period, .duration,
        "the interval between the starts of two measurements; without it there is one"
      )
    ] + stopKeys
  static let rules: [KeyRule] = [
    .only("every", with: ["until", "for"], endlessness, expected: stopExpected),
    .key("until", with: ["every"]),
    .key("for", with: ["every"]),
  ]

  var action: Step.Action { .rssi(self) }
  var isStream: Bool { period != nil }
  var subjects: Subjects? {
    Subjects(of: LinkStrength.facts, kind: isStream ? .poll : .single, most: stop.count)
  }
  var participle: String { "measuring the RSSI" }
  var privilege: String? { nil }
  func limit(_ usual: Duration) -> Duration { (length ?? .zero) + usual }

  func run(_ run: StepRun) async throws {
    guard let period else { return try await run.measure(run.service.rssi().map(\.decoded)) }
    try await run.gather(run.service.strengths(every: period), of: self) { measures, rate in
      .polled(count: measures.count, rate: rate, latencies: measures.latencies.percentiles)
    }
  }
}

extension Step {
  /// Measures the RSSI of the connection.
  ///
  /// The fields, in dBm, are `rssi` and, if the controller reports it, `txPower`.
  ///
  /// ```swift
  /// try Step.rssi.expect("rssi", .atLeast(-80))
  /// ```
  public static var rssi: Step { Step(.rssi(RSSIStep())) }

  /// Measures the RSSI of the connection at a fixed interval until a stop condition is met.
  ///
  /// ```swift
  /// try Step.rssi(every: .seconds(1), for: .seconds(10)).expect("min(rssi)", .atLeast(-80))
  /// ```
  public static func rssi(
    every period: Duration, count: Int? = nil, for duration: Duration? = nil
  ) -> Step {
    Step(.rssi(RSSIStep(every: period, StopConditions(count: count, duration: duration))))
  }
}

extension Device {
  /// Measures the RSSI of the connection at once, then once in each period, with the latency of
  /// each measurement.
  ///
  /// - Parameter limit: The timeout of one measurement; nil for none but the caller's deadlines.
  func strengths(every period: Duration, limit: Duration? = nil) -> Signal<Sample> {
    samples(every: period, limit: limit, "measuring the RSSI", rssi()) { strength, now, latency in
      Sample(measured: strength.decoded, arrival: now, latency: latency)
    }
  }
}

extension LinkStrength {
  /// The fields and their ranges.
  static let facts: [(name: String, range: ClosedRange<Int>)] = [
    ("rssi", ScanStep.rssiRange), ("txPower", ScanStep.rssiRange),
  ]

  /// The captured value, without `txPower` if the controller does not report it.
  fileprivate var decoded: DecodedValue {
    let rssi = DecodedValue.Field("rssi", .integer(Int128(rssi)), unit: "dBm")
    let power = txPower.map {
      DecodedValue.Field("txPower", .integer(Int128($0)), unit: "dBm", qualifier: "TX power")
    }
    return .fields([rssi] + (power.map { [$0] } ?? []))
  }
}
