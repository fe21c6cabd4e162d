// What is measured over all values of a step, other than how many there are.

/// A time that is measured over a stream of values, or over repeated reads.
public enum Measure: String, Hashable, Sendable, CaseIterable {
  /// The longest time without a value, from the beginning to the end.
  case silence
  /// Half of the times from one value to the next are this long or shorter.
  case intervalP50 = "interval-p50"
  case intervalP95 = "interval-p95"
  case intervalP99 = "interval-p99"
  /// Half of the reads took this long or shorter, from asking to answer.
  case latencyP50 = "latency-p50"
  case latencyP95 = "latency-p95"
  case latencyP99 = "latency-p99"

  /// Whether only repeated reads have it.
  var isOfReads: Bool {
    switch self {
    case .latencyP50, .latencyP95, .latencyP99: true
    case .silence, .intervalP50, .intervalP95, .intervalP99: false
    }
  }

  /// Whether a name of an expectation or a captured value is that of a time.
  static func isNamed(by name: String) -> Bool {
    Measure(rawValue: VariablePath(name)?.field ?? name) != nil
  }

  /// What there is none of when it cannot be measured.
  var absence: String { isOfReads ? "no reads" : "fewer than two values" }
}
