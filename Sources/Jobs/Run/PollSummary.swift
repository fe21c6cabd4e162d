// The summary of a poll.

/// The summary of a `poll`.
public struct PollSummary: Equatable, Sendable {
  /// The number of values.
  public let count: Int
  /// The number of values per second.
  public let rate: Double
  /// The latencies of the reads; nil when there were none.
  public let latencies: Percentiles?

  init(_ measures: StreamMeasures, rate: Double) {
    count = measures.count
    self.rate = rate
    if let p50 = measures[.latencyP50], let p95 = measures[.latencyP95],
      let p99 = measures[.latencyP99]
    {
      latencies = Percentiles(p50: p50, p95: p95, p99: p99)
    } else {
      latencies = nil
    }
  }
}

/// The 50th, 95th and 99th percentile of durations.
public struct Percentiles: Equatable, Sendable {
  /// The time that half of the reads do not exceed.
  public let p50: Duration
  /// The time that 95 % of the reads do not exceed.
  public let p95: Duration
  /// The time that 99 % of the reads do not exceed.
  public let p99: Duration
}
