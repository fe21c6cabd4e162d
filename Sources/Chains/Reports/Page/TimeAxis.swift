// The time axis that lanes share: positions and labels of times.

import RunEvents

/// A period from 0 on, across the width of a page.
struct TimeAxis: Equatable, Sendable {
  struct Tick: Equatable, Sendable {
    let at: Duration
    let label: String
  }

  /// The number of positions that can be told apart.
  static let columns = 1_000
  /// The maximum number of labels, including the start.
  static let tickLimit = 6

  /// The duration; always positive.
  let length: Duration

  init(_ length: Duration) { self.length = max(length, .microseconds(1)) }

  /// The duration in seconds, as an attribute for the script of the page.
  var data: String { "data-length=\"\(length.seconds)\"" }

  /// The duration of one of ``columns``.
  var column: Duration { length / Self.columns }

  /// The position of a time: 0 at the start, 1 at the end.
  func share(_ time: Duration) -> Double { min(1, max(0, time / length)) }

  /// The position of a time, in percent with two decimals.
  func percent(_ time: Duration) -> String { Self.percent(share(time)) }

  static func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let rest = hundredths % 100
    return rest == 0
      ? "\(hundredths / 100)%" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
  }

  /// Labels at round times, equally spaced from the start.
  var ticks: [Tick] {
    let all = length.wholeMicroseconds
    let step = Self.steps.first { all / $0 < Int64(Self.tickLimit) } ?? all
    return stride(from: 0, through: all, by: Int64.Stride(step)).map {
      Tick(at: .microseconds($0), label: Self.label($0, step: step))
    }
  }

  private static let second: Int64 = 1_000_000

  /// The possible distances of labels in microseconds, ascending: below a minute, below a day,
  /// days.
  private static let steps: [Int64] = {
    var (round, scale) = ([Int64](), Int64(1))
    while scale <= 10 * second {
      round += [scale, 2 * scale, 5 * scale]
      scale *= 10
    }
    let minutes: [Int64] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720]
    return round + minutes.map { $0 * 60 * second } + round.map { $0 * 86_400 * second }
  }()

  private static func label(_ time: Int64, step: Int64) -> String {
    let (unit, name): (Int64, String) =
      switch step {
      case ..<1_000: (1, "µs")
      case ..<100_000: (1_000, "ms")
      case ..<(60 * second): (second, "s")
      case ..<(3_600 * second): (60 * second, "min")
      case ..<(86_400 * second): (3_600 * second, "h")
      default: (86_400 * second, "d")
      }
    let tenths = time % unit * 10 / unit
    return time == 0 ? "0 \(name)" : "\(time / unit)\(tenths == 0 ? "" : ".\(tenths)") \(name)"
  }
}
