// Times measured over all values of a step.
//
// Only their names are here; StreamMeasures computes them.

/// A time measured over a stream of values, or over repeated reads.
public enum Measure: String, Hashable, Sendable, CaseIterable {
  /// The longest time without a value, from start to end.
  case silence
  /// The median of the times between consecutive values.
  case intervalP50 = "interval-p50"
  /// The 95th percentile of the times between consecutive values.
  case intervalP95 = "interval-p95"
  /// The 99th percentile of the times between consecutive values.
  case intervalP99 = "interval-p99"
  /// The median of the read latencies, from request to response.
  case latencyP50 = "latency-p50"
  /// The 95th percentile of the read latencies.
  case latencyP95 = "latency-p95"
  /// The 99th percentile of the read latencies.
  case latencyP99 = "latency-p99"

  /// Whether the measure exists only for repeated reads.
  var isOfReads: Bool {
    switch self {
    case .latencyP50, .latencyP95, .latencyP99: true
    case .silence, .intervalP50, .intervalP95, .intervalP99: false
    }
  }

  /// Whether `name`, or the field of the captured value `name`, is a measure.
  static func isNamed(by name: String) -> Bool {
    Measure(rawValue: VariablePath(name)?.field ?? name) != nil
  }

  /// The reason that the measure is missing, for failures.
  var absence: String { isOfReads ? "no reads" : "fewer than two values" }
}
