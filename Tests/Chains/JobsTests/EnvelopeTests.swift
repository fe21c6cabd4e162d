// The values that a plot keeps of random series.

import Signals
import Testing

@testable import Jobs
@testable import Reports

@Suite("Envelope of many values")
struct EnvelopeTests {
  /// A random series, in the order of its times.
  private func series(
    _ count: Int, seed: UInt64, within most: Int = 5_000
  ) -> [(at: Duration, value: Double)] {
    var generator = SeededGenerator(seed: seed, name: "envelope")
    var now = Duration.zero
    return (0..<count).map { _ in
      now += .microseconds(Int.random(in: 0...most, using: &generator))
      return (now, Double.random(in: -100...100, using: &generator))
    }
  }

  private func envelope(_ series: [(at: Duration, value: Double)]) -> Envelope {
    var envelope = Envelope()
    for (at, value) in series { envelope.add(value, at: at) }
    return envelope
  }

  @Test("each bucket has the lowest and the highest of its values", arguments: 1...20)
  func exact(seed: UInt64) throws {
    let series = series(10_000, seed: seed)
    let envelope = envelope(series)
    var expected: [Int64: [Double]] = [:]
    for (at, value) in series {
      let index = (at - series[0].at).wholeMicroseconds / envelope.microseconds
      expected[index, default: []].append(value)
    }
    #expect(envelope.buckets.map(\.index) == expected.keys.sorted(), "seed \(seed)")
    for bucket in envelope.buckets {
      let values = try #require(expected[bucket.index])
      #expect(bucket.lowest.value == values.min() && bucket.highest.value == values.max())
      #expect(bucket.count == values.count)
    }
  }

  @Test(
    "the size is bounded, and the points are actual values in chronological order",
    arguments: 1...20
  )
  func bounded(seed: UInt64) {
    let series = series(20_000, seed: seed, within: seed % 2 == 0 ? 3 : 1_000_000)
    let envelope = envelope(series)
    #expect(envelope.buckets.count <= Envelope.limit && envelope.buckets.count > Envelope.limit / 8)
    #expect(envelope.count == series.count)
    #expect(envelope.range == (series.map(\.value).min() ?? 0)...(series.map(\.value).max() ?? 0))
    let points = envelope.points
    #expect(points.count <= 2 * Envelope.limit)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.at <= $1.at }, "seed \(seed)")
    let all = Set(series.map { "\($0.at) \($0.value)" })
    #expect(points.allSatisfy { all.contains("\($0.at) \($0.value)") })
  }

  @Test("up to the limit no values are merged, whatever their times")
  func few() {
    let series = (0..<Envelope.limit).map {
      (at: Duration.milliseconds($0 * $0), value: Double($0))
    }
    let envelope = envelope(series)
    #expect(envelope.points == series.map { Envelope.Point(at: $0.at, value: $0.value) })
    #expect(envelope.microseconds == 1)
  }

  @Test("an envelope without values is empty, and NaN and infinity are ignored")
  func empty() {
    var envelope = Envelope()
    envelope.add(.nan, at: .zero)
    envelope.add(.infinity, at: .seconds(1))
    #expect(envelope == Envelope() && envelope.range == nil && envelope.points.isEmpty)
  }

  @Test("a value older than the previous one is kept")
  func late() {
    let envelope = envelope([(.seconds(2), 1), (.seconds(3), 2), (.seconds(1), 9)])
    #expect(envelope.range == 1...9 && envelope.count == 3 && envelope.buckets.count == 2)
  }

  // MARK: Columns of a terminal

  @Test(
    "a day at 10 values a second keeps every minimum and maximum in a fixed number of buckets"
  )
  func day() {
    let count = 864_000
    let day = envelope(
      (0..<count).map { (.milliseconds(100 * $0), $0 == count / 2 ? 1000 : Double($0 % 7)) }
    )
    let columns = day.columns(100, in: 0..<count * 100_000)
    #expect(columns.count { $0?.highest.value == 1000 } == 1)
    #expect(columns.allSatisfy { $0?.lowest.value == 0 })
    #expect(day.buckets.count <= Envelope.limit && day.last == Double((count - 1) % 7))
  }

  @Test("a limited span keeps only the latest values, one in each column")
  func span() {
    var envelope = Envelope(span: .seconds(10))
    for second in 0..<1000 { envelope.add(Double(second % 100), at: .seconds(second)) }
    #expect(envelope.buckets.count == 11 && envelope.range == 0...99 && envelope.count == 1000)
    let columns = envelope.columns(100, in: 990_000_001..<1_000_000_001)
    #expect(columns.compactMap(\.self).map(\.last) == (91...99).map(Double.init))
  }

  @Test("a bucket after a gap is not connected with the one before")
  func gap() {
    var envelope = Envelope()
    envelope.add(1, at: .seconds(1))
    envelope.breaks()
    for second in 2...3 { envelope.add(1, at: .seconds(second)) }
    #expect(envelope.buckets.map(\.followsGap) == [false, true, false])
  }
}
