// Counting and timing the values of one step.

import Bluetooth
import Signals

/// What is measured while values arrive: how many, how often, how long between them.
///
/// Each value counts at the time of its arrival, so that a slow consumer changes nothing.
struct StreamMeasures: Sendable {
  private(set) var count = 0
  private var start: Instant
  private var end: Instant?
  /// When the last value arrived.
  private(set) var last: Instant?
  private var longest = Duration.zero
  private var intervals: [Duration] = []
  private var latencies: [Duration] = []

  init(from start: Instant) { self.start = start }

  /// Begins again: only now the subscription is active.
  mutating func begin(at now: Instant) { self = StreamMeasures(from: now) }

  /// A value arrived.
  ///
  /// - Parameter latency: How long the read took; nil for a value that the device sent by itself.
  mutating func take(at arrival: Instant, latency: Duration? = nil) {
    count += 1
    longest = max(longest, arrival - (last ?? start))
    if let last { intervals.append(arrival - last) }
    if let latency { latencies.append(latency) }
    last = arrival
  }

  /// There are enough values, or none will come.
  mutating func finish(at now: Instant) {
    guard end == nil else { return }
    end = now
    longest = max(longest, now - (last ?? start))
  }

  /// How many values a second came; infinite when all came at once.
  func rate(at now: Instant) -> Double {
    let seconds = ((end ?? now) - start).seconds
    guard seconds > 0 else { return count == 0 ? 0 : .infinity }
    return Double(count) / seconds
  }

  /// What was measured; nil where there is nothing to measure.
  subscript(measure: Measure) -> Duration? {
    switch measure {
    case .silence: longest
    case .intervalP50: Self.percentile(50, of: intervals)
    case .intervalP95: Self.percentile(95, of: intervals)
    case .intervalP99: Self.percentile(99, of: intervals)
    case .latencyP50: Self.percentile(50, of: latencies)
    case .latencyP95: Self.percentile(95, of: latencies)
    case .latencyP99: Self.percentile(99, of: latencies)
    }
  }

  /// All of it as fields, for steps that look at it later. Times are in ms.
  func fields(at now: Instant) -> [DecodedValue.Field] {
    let times = Measure.allCases.compactMap { measure in
      self[measure].map { time in
        DecodedValue.Field(measure.rawValue, time.milliseconds, unit: "ms")
      }
    }
    let rate = DecodedValue.Field("rate", .real(rate(at: now), decimals: 2))
    return [.init("count", .integer(Int64(count))), rate] + times
  }

  /// The smallest time that so many percent do not exceed: the nearest rank.
  static func percentile(_ percent: Int, of times: [Duration]) -> Duration? {
    guard !times.isEmpty else { return nil }
    let rank = (percent * times.count + 99) / 100
    return times.sorted()[max(rank, 1) - 1]
  }
}

extension Duration {
  /// The time in ms, as a value that checks look at.
  var milliseconds: DecodedValue { .real(Double(wholeMicroseconds) / 1000, decimals: 3) }
}
