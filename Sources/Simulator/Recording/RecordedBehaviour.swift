// The behaviour in a device file that reproduces the values a characteristic sent.

import Bluetooth
import SimulatedDevices

/// The behaviour that explains the values of a characteristic.
enum RecordedBehaviour: Hashable, Sendable {
  /// One value, or two in quick succession: the interval is unknown.
  case few([[UInt8]])
  /// A number that changes by the same step each time.
  case counter(Count, every: Duration)
  /// The values in order; if they repeat, only one cycle.
  case series([[UInt8]], every: Duration, repeats: Bool)

  /// The start and the step of a counter.
  struct Count: Hashable, Sendable {
    let format: String
    let from: Int128
    let step: Int128
    /// Whether the number wrapped around at the end of its range.
    let wraps: Bool
  }

  /// The distribution of the intervals between values, if they differ much.
  struct Spread: Hashable, Sendable {
    let shortest: Duration
    let median: Duration
    /// The 90th percentile.
    let long: Duration
    let longest: Duration
    /// The distance of the 10th or the 90th percentile from the median, whichever is farther.
    let usual: Duration
  }

  /// The fewest equal steps that make a counter. Fewer may be equal by chance.
  private static let fewestSteps = 4

  private static let largestStep: Int128 = 1000
  /// The shortest interval between only two values that counts as a rate. Two values in quicker
  /// succession are one message in two parts.
  private static let shortestOfTwo = Duration.milliseconds(200)

  /// Describes values, which must be in order of time; nil if there are none.
  ///
  /// - Parameter end: The time when the subscriptions ended; nil if the device may have sent more
  ///   values, which were not recorded.
  init?(_ values: [RecordedValue], until end: Duration?) {
    guard let last = values.last else { return nil }
    guard let every = Self.gap(of: values), values.count > 2 || every >= Self.shortestOfTwo else {
      self = .few(values.map(\.octets))
      return
    }
    // The device stopped sending. A counter or a repeating series would have continued.
    if let end, end - last.at > every * 3 {
      self = .series(values.map(\.octets), every: every, repeats: false)
    } else if let count = Self.count(values.map(\.octets)) {
      self = .counter(count, every: every)
    } else {
      self = .series(Self.cycle(values.map(\.octets)), every: every, repeats: true)
    }
  }

  /// The shortest cycle, which the values repeat at least once; all values if they do not repeat.
  ///
  /// - Parameter values: Two or more.
  static func cycle(_ values: [[UInt8]]) -> [[UInt8]] {
    let length = (1...values.count / 2).first { length in
      zip(values.dropFirst(length), values).allSatisfy { $0 == $1 }
    }
    return Array(values.prefix(length ?? values.count))
  }

  private static func gaps(_ values: [RecordedValue]) -> [Duration] {
    zip(values.dropFirst(), values).map { $0.at - $1.at }
  }

  /// The median interval between values, rounded and bounded as in device files.
  private static func gap(of values: [RecordedValue]) -> Duration? {
    Statistics.median(gaps(values)).map {
      let period = FileLimits.period
      return min(max(period.lowerBound, Statistics.rounded($0)), period.upperBound)
    }
  }

  /// The distribution of the intervals between values; nil if they are about equal.
  static func spread(of values: [RecordedValue]) -> Spread? {
    let gaps = gaps(values).sorted()
    guard let shortest = gaps.first, let longest = gaps.last, let median = Statistics.median(gaps),
      longest - shortest > median / 5
    else { return nil }
    let (short, long) = (gaps[gaps.count / 10], gaps[gaps.count * 9 / 10])
    return Spread(
      shortest: Statistics.rounded(shortest), median: Statistics.rounded(median),
      long: Statistics.rounded(long), longest: Statistics.rounded(longest),
      usual: Statistics.rounded(max(long - median, median - short))
    )
  }

  static func count(_ values: [[UInt8]]) -> Count? {
    guard values.count > fewestSteps else { return nil }
    let bits = 8 * values[0].count
    var counts: [Count] = []
    for format in ["u\(bits)", "u\(bits)be"].compactMap({ ValueFormat($0) }) {
      let numbers = values.compactMap { octets -> Int128? in
        guard case .integer(let number)? = try? format.decode(octets) else { return nil }
        return number
      }
      // Values of other lengths are not numbers, and a device file has no number above Int64.max.
      guard numbers.count == values.count, Int64(exactly: numbers[0]) != nil else { continue }
      let range = Int128(1) << bits
      // If a number has wrapped around, the shorter way counts as the step.
      let steps = zip(numbers.dropFirst(), numbers).map { next, last in
        (next - last + range + range / 2) % range - range / 2
      }
      // A large step may come from several small numbers side by side that rise evenly.
      guard let step = steps.first, step != 0, abs(step) <= largestStep,
        steps.allSatisfy({ $0 == step })
      else { continue }
      counts.append(
        Count(
          format: format.name, from: numbers[0], step: step,
          wraps: zip(numbers.dropFirst(), numbers).contains { $0 - $1 != step }
        )
      )
    }
    // In the wrong octet order, a step of 1 looks like a step of 256 or more.
    return counts.min { abs($0.step) < abs($1.step) }
  }
}

/// Statistics of samples.
enum Statistics {
  static func median<Value: Comparable>(_ values: [Value]) -> Value? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }

  /// Rounds to whole milliseconds, and longer durations to three significant digits.
  static func rounded(_ duration: Duration) -> Duration {
    let milliseconds = max(0, (duration / .milliseconds(1)).rounded())
    var unit = 1.0
    while milliseconds / unit >= 1000 { unit *= 10 }
    return .milliseconds(Int64((milliseconds / unit).rounded() * unit))
  }
}
