// What repeated reads come to.

/// What a `poll` came to.
public struct PollSummary: Equatable, Sendable {
  /// How many values were read.
  public let count: Int
  /// How many a second.
  public let rate: Double
  /// How long half of the reads took at most, 95 % of them, 99 %; nil when there were none.
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

/// How long things took: half of them at most so long, 95 % of them, 99 %.
public struct Percentiles: Equatable, Sendable {
  public let p50: Duration
  public let p95: Duration
  public let p99: Duration
}
