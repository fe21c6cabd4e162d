// How long something took, each time, for percentiles.
//
// In bounded memory: it counts how often each time was measured, and keeps no list of them.

/// How often each length of time was measured.
///
/// A time counts by its microseconds. Where there are very many different ones, it counts by its first
/// eleven binary digits, which is within 0.1 %.
struct TimeDistribution: Sendable {
  /// How many different times are kept to the microsecond.
  static let exactLimit = 4_096
  private static let digits = 11

  /// By microseconds.
  private var counts: [Int64: Int] = [:]
  private var total = 0
  private var isExact = true

  mutating func add(_ time: Duration) {
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

  /// A percentile by the nearest-rank method; nil without times.
  func percentile(_ percent: Int) -> Duration? {
    var rank = max((percent * total + 99) / 100, 1)
    for (microseconds, count) in counts.sorted(by: { $0.key < $1.key }) {
      rank -= count
      if rank <= 0 { return .microseconds(microseconds) }
    }
    return nil
  }

  /// The usual percentiles; nil without times.
  var percentiles: Percentiles? {
    guard let p50 = percentile(50), let p95 = percentile(95), let p99 = percentile(99) else {
      return nil
    }
    return Percentiles(p50: p50, p95: p95, p99: p99)
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
