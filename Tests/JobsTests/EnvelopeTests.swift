// What a plot keeps of its values, on random series.

import Signals
import Testing

@testable import Jobs

@Suite("Envelope of many values")
struct EnvelopeTests {
  /// A random series, in the order of its times.
  private func series(
    _ count: Int,
    seed: UInt64,
    within most: Int = 5_000
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

  @Test("its size is bounded, its points are values in the order of their times", arguments: 1...20)
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

  @Test("up to the limit nothing is joined, whatever the times")
  func few() {
    let series = (0..<Envelope.limit).map {
      (at: Duration.milliseconds($0 * $0), value: Double($0))
    }
    let envelope = envelope(series)
    #expect(envelope.points == series.map { Envelope.Point(at: $0.at, value: $0.value) })
    #expect(envelope.microseconds == 1)
  }

  @Test("without values there is nothing to draw; what is no number has no place")
  func empty() {
    var envelope = Envelope()
    envelope.add(.nan, at: .zero)
    envelope.add(.infinity, at: .seconds(1))
    #expect(envelope == Envelope() && envelope.range == nil && envelope.points.isEmpty)
  }

  @Test("a value that arrived before the last one is kept")
  func late() {
    let envelope = envelope([(.seconds(2), 1), (.seconds(3), 2), (.seconds(1), 9)])
    #expect(envelope.range == 1...9 && envelope.count == 3 && envelope.buckets.count == 2)
  }
}
