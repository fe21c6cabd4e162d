// The times that are measured over all values of a step.

/// A time that is measured over a stream of values, or over repeated reads.
public enum Measure: String, Hashable, Sendable, CaseIterable {
  /// The longest time without a value, from the beginning to the end.
  case silence
  /// The median of the times from one value to the next.
  case intervalP50 = "interval-p50"
  /// The time between values that 95 % do not exceed.
  case intervalP95 = "interval-p95"
  /// The time between values that 99 % do not exceed.
  case intervalP99 = "interval-p99"
  /// The median of the times from request to response of the reads.
  case latencyP50 = "latency-p50"
  /// The time from request to response that 95 % of the reads do not exceed.
  case latencyP95 = "latency-p95"
  /// The time from request to response that 99 % of the reads do not exceed.
  case latencyP99 = "latency-p99"

  /// Whether it applies only to repeated reads.
  var isOfReads: Bool {
    switch self {
    case .latencyP50, .latencyP95, .latencyP99: true
    case .silence, .intervalP50, .intervalP95, .intervalP99: false
    }
  }

  /// Whether the name of a subject or of a captured value is that of a time.
  static func isNamed(by name: String) -> Bool {
    Measure(rawValue: VariablePath(name)?.field ?? name) != nil
  }

  /// Why it cannot be measured, for failures.
  var absence: String { isOfReads ? "no reads" : "fewer than two values" }
}
