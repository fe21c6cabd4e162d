// The time axis that lanes share, and the bars on it.

import Signals
import Testing

@testable import Jobs
@testable import Reports

@Suite("Lanes over a time axis")
struct LaneTests {
  // MARK: The axis

  @Test(
    "axis labels are round times, six at most",
    arguments: [
      (Duration.microseconds(7), ["0 µs", "2 µs", "4 µs", "6 µs"]),
      (.milliseconds(70), ["0 ms", "20 ms", "40 ms", "60 ms"]),
      (.milliseconds(2_037), ["0 s", "0.5 s", "1 s", "1.5 s", "2 s"]),
      (.seconds(45), ["0 s", "10 s", "20 s", "30 s", "40 s"]),
      (.seconds(4_000), ["0 min", "15 min", "30 min", "45 min", "60 min"]),
      (.seconds(100_000), ["0 h", "6 h", "12 h", "18 h", "24 h"]),
      (.seconds(86_400 * 30), ["0 d", "10 d", "20 d", "30 d"]),
      (.zero, ["0 µs", "1 µs"]),
    ]
  )
  func ticks(length: Duration, labels: [String]) {
    #expect(TimeAxis(length).ticks.map(\.label) == labels)
  }

  @Test("an axis of any length has two to six labels", arguments: 1...200)
  func anyLength(seed: UInt64) {
    var generator = SeededGenerator(seed: seed, name: "axis")
    let bits = Int.random(in: 0...50, using: &generator)
    let length = Duration.microseconds(Int64.random(in: 1...(1 << bits), using: &generator))
    let count = TimeAxis(length).ticks.count
    #expect((2...TimeAxis.tickLimit).contains(count), "\(length): \(count)")
  }

  @Test("positions are percentages with two decimals, within the axis")
  func percents() {
    let axis = TimeAxis(.seconds(3))
    let times: [Duration] = [
      .seconds(-1), .zero, .seconds(1), .milliseconds(1_500), .seconds(99),
    ]
    #expect(times.map { axis.percent($0) } == ["0%", "0%", "33.33%", "50%", "100%"])
    #expect(TimeAxis.percent(0.0701) == "7.01%")
  }

  // MARK: Bars

  /// Bars one after the other, most of them short.
  private func bars(_ count: Int, seed: UInt64) -> (bars: [LaneBar], axis: TimeAxis) {
    var generator = SeededGenerator(seed: seed, name: "bars")
    var now = Duration.zero
    let bars = (0..<count).map { index in
      let from = now + .microseconds(Int.random(in: 0...300, using: &generator))
      let isLong = Int.random(in: 0..<50, using: &generator) == 0
      now = from + .microseconds(Int.random(in: 0...(isLong ? 90_000 : 500), using: &generator))
      let kind = LaneBar.Kind.allCases[
        Int.random(in: 0..<40, using: &generator) % 37 % LaneBar.Kind.allCases.count
      ]
      return LaneBar(kind, from: from, to: now, title: "\(index)", anchor: "a\(index)")
    }
    return (bars, TimeAxis(now))
  }

  @Test("merging loses no bar, keeps every kind visible, and is bounded", arguments: 1...30)
  func merged(seed: UInt64) {
    let (bars, axis) = bars(20_000, seed: seed)
    let drawn = LaneBar.merged(bars, on: axis)
    #expect(drawn.reduce(0) { $0 + $1.count } == bars.count, "seed \(seed)")
    #expect(drawn.count <= 2 * LaneBar.Kind.allCases.count * TimeAxis.columns + 8)
    for kind in LaneBar.Kind.allCases {
      let (own, shown) = (bars.filter { $0.kind == kind }, drawn.filter { $0.kind == kind })
      #expect(shown.reduce(0) { $0 + $1.count } == own.count)
      // Each bar lies in one that is drawn.
      var rest = shown[...]
      for bar in own {
        while let first = rest.first, first.to < bar.to { rest = rest.dropFirst() }
        #expect(rest.first.map { $0.from <= bar.from && bar.to <= $0.to } == true, "seed \(seed)")
      }
    }
    #expect(drawn.last.map { $0.kind } == .failed)
  }

  @Test("bars that can be told apart are not merged")
  func distinct() {
    let axis = TimeAxis(.seconds(100))
    let bars = (0..<50).map {
      LaneBar(.ok, from: .seconds(2 * $0), to: .seconds(2 * $0 + 1), title: "\($0)")
    }
    #expect(LaneBar.merged(bars, on: axis) == bars)
  }
}
