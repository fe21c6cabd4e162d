// Percentiles of many times, in bounded memory.

import Testing

@testable import Jobs

@Suite("Percentiles")
struct TimeDistributionTests {
  /// Times that are all different: 1, 2, 3 … µs.
  private func distribution(_ count: Int, by step: Int) -> TimeDistribution {
    var times = TimeDistribution()
    for number in 0..<count { times.add(.microseconds(1 + number * step % count)) }
    return times
  }

  @Test(
    "percentiles of few distinct times are exact by nearest rank",
    arguments: [(1, 50, 1), (4, 50, 2), (100, 95, 95), (101, 99, 100), (4_096, 99, 4_056)]
  )
  func exact(count: Int, percent: Int, microseconds: Int) {
    #expect(distribution(count, by: 1).percentile(percent) == .microseconds(microseconds))
  }

  @Test(
    "percentiles of many times are within 0.1 %, in whatever order the times come",
    arguments: [50, 95, 99]
  )
  func rounded(percent: Int) throws {
    let exact = Duration.microseconds(100_000 * percent / 100)
    for step in [1, 7_919] {
      let found = try #require(distribution(100_000, by: step).percentile(percent))
      #expect(abs(found / exact - 1) < 0.001)
    }
  }

  @Test("an empty distribution has no percentiles")
  func empty() { #expect(TimeDistribution().percentile(50) == nil) }
}
