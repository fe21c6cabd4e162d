// The time axis that lanes share: where a time is, and which times are named.

/// A period of time across the width of a page, from 0 on.
struct TimeAxis: Equatable, Sendable {
  struct Tick: Equatable, Sendable {
    let at: Duration
    let label: String
  }

  /// How many parts of the width can be distinguished.
  static let columns = 1_000
  /// The maximum number of named times, the start included.
  static let tickLimit = 6

  /// Always positive.
  let length: Duration

  init(_ length: Duration) { self.length = max(length, .microseconds(1)) }

  /// The period in seconds, as an attribute for the script of the page.
  var data: String { "data-length=\"\(length.seconds)\"" }

  /// The time that one of ``columns`` takes.
  var column: Duration { length / Self.columns }

  /// Where a time is: 0 at the start, 1 at the end.
  func share(_ time: Duration) -> Double { min(1, max(0, time / length)) }

  /// Where a time is, in percent with two decimals.
  func percent(_ time: Duration) -> String { Self.percent(share(time)) }

  static func percent(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let rest = hundredths % 100
    return rest == 0
      ? "\(hundredths / 100)%" : "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
  }

  /// Round times from the start on, equally far apart.
  var ticks: [Tick] {
    let all = length.wholeMicroseconds
    let step = Self.steps.first { all / $0 < Int64(Self.tickLimit) } ?? all
    return stride(from: 0, through: all, by: Int64.Stride(step)).map {
      Tick(at: .microseconds($0), label: Self.label($0, step: step))
    }
  }

  private static let second: Int64 = 1_000_000

  /// Round periods in microseconds, in order: of less than a minute, of less than a day, of days.
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
