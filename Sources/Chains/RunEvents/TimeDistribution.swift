// A distribution of durations, for percentiles.
//
// Memory is bounded: it counts equal durations instead of keeping a list.

/// The number of measurements of each duration.
///
/// Durations are kept to the microsecond. Above ``exactLimit`` different ones, they are cut to
/// their eleven leading binary digits, which is within 0.1 %.
package struct TimeDistribution: Sendable {
  /// The number of different durations that are kept to the microsecond.
  package static let exactLimit = 4_096
  private static let digits = 11

  /// The number of measurements, by microseconds.
  private var counts: [Int64: Int] = [:]
  private var total = 0
  private var isExact = true

  package init() {}

  package mutating func add(_ time: Duration) {
    total += 1
    counts[key(of: time.wholeMicroseconds), default: 0] += 1
    guard isExact, counts.count > Self.exactLimit else { return }
    isExact = false
    counts = Dictionary(counts.map { (key(of: $0), $1) }, uniquingKeysWith: +)
  }

  private func key(of microseconds: Int64) -> Int64 {
    let unused = Int64.bitWidth - microseconds.leadingZeroBitCount - Self.digits
    return isExact || unused <= 0 ? microseconds : (microseconds >> unused) << unused
  }

  /// A percentile by the nearest-rank method; nil without measurements.
  package func percentile(_ percent: Int) -> Duration? {
    var rank = max((percent * total + 99) / 100, 1)
    for (microseconds, count) in counts.sorted(by: { $0.key < $1.key }) {
      rank -= count
      if rank <= 0 { return .microseconds(microseconds) }
    }
    return nil
  }

  /// The 50th, 95th and 99th percentile; nil without measurements.
  package var percentiles: Percentiles? {
    guard let p50 = percentile(50), let p95 = percentile(95), let p99 = percentile(99) else {
      return nil
    }
    return Percentiles(p50: p50, p95: p95, p99: p99)
  }
}

/// The 50th, 95th and 99th percentile of durations.
public struct Percentiles: Equatable, Sendable {
  /// The median.
  public let p50: Duration
  /// The 95th percentile.
  public let p95: Duration
  /// The 99th percentile.
  public let p99: Duration
}
