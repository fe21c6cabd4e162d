// Counts and times the values of one step.

import Bluetooth
import RunEvents
import Signals

/// The measures over values as they arrive: count, rate and intervals.
///
/// Times are those of arrival, so a slow consumer does not affect them.
struct StreamMeasures: Sendable {
  enum Phase: Sendable {
    /// The subscription is not active yet.
    case starting
    /// The trigger has not been answered yet.
    case triggering
    case receiving
  }

  private(set) var count = 0
  /// The number of times the connection dropped and resumed.
  private(set) var losses = 0
  /// Whether no value has arrived since the connection dropped.
  private(set) var isSilentSinceLoss = false
  private(set) var phase = Phase.starting
  /// The last value, for failures.
  private(set) var lastValue: StepValue?
  private var start: Instant
  private var end: Instant?
  /// The arrival time of the last value.
  private(set) var last: Instant?
  private var longest = Duration.zero
  private var intervals = TimeDistribution()
  private(set) var latencies = TimeDistribution()

  init(from start: Instant) { self.start = start }

  /// Records that the subscription is active and the trigger is being written.
  mutating func trigger() { phase = .triggering }

  /// Resets all measures, once values can be received.
  mutating func begin(at now: Instant) {
    self = StreamMeasures(from: now)
    phase = .receiving
  }

  /// Adds a value.
  ///
  /// - Parameter latency: The duration of the read; nil for a notified value.
  mutating func add(_ value: StepValue? = nil, at arrival: Instant, latency: Duration? = nil) {
    count += 1
    isSilentSinceLoss = false
    lastValue = value
    longest = max(longest, arrival - (last ?? start))
    if let last { intervals.add(arrival - last) }
    if let latency { latencies.add(latency) }
    last = arrival
  }

  /// Records a gap in the values; only those from a dropped connection count.
  mutating func resume(after gap: NotificationGap) {
    guard gap.cause == .linkLost else { return }
    losses += 1
    isSilentSinceLoss = true
  }

  /// Ends the measurement at the first call: a stop condition is met, or no more values will
  /// arrive.
  mutating func finish(at now: Instant) {
    guard end == nil else { return }
    end = now
    longest = max(longest, now - (last ?? start))
  }

  /// The number of values per second; infinite if no time has passed.
  func rate(at now: Instant) -> Double {
    let seconds = ((end ?? now) - start).seconds
    guard seconds > 0 else { return count == 0 ? 0 : .infinity }
    return Double(count) / seconds
  }

  /// A measured time; nil if there are too few values for it.
  subscript(measure: Measure) -> Duration? {
    switch measure {
    case .silence: longest
    case .intervalP50: intervals.percentile(50)
    case .intervalP95: intervals.percentile(95)
    case .intervalP99: intervals.percentile(99)
    case .latencyP50: latencies.percentile(50)
    case .latencyP95: latencies.percentile(95)
    case .latencyP99: latencies.percentile(99)
    }
  }

  /// The measures as fields for later steps; times are in ms.
  func fields(at now: Instant) -> [DecodedValue.Field] {
    let times = Measure.allCases.compactMap { measure in
      self[measure].map { time in
        DecodedValue.Field(measure.rawValue, time.milliseconds, unit: "ms")
      }
    }
    let rate = DecodedValue.Field("rate", .real(rate(at: now), decimals: 2))
    return [.init("count", .integer(Int128(count))), rate] + times
  }
}

extension Duration {
  /// The time in ms, for checks.
  var milliseconds: DecodedValue { .real(inMilliseconds, decimals: 3) }
}
