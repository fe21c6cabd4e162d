// How the values that a device sends by itself are described.

import Bluetooth
import SimulatedDevices

/// The behaviour that explains the values of a characteristic.
enum Motion: Hashable, Sendable {
  /// One value, or two at once: their interval is unknown.
  case few([[UInt8]])
  /// A number that counts.
  case counter(Count, every: Duration)
  /// The values as they came; where they repeat, once.
  case series([[UInt8]], every: Duration, repeats: Bool)

  /// A number that counts: how it begins and goes on.
  struct Count: Hashable, Sendable {
    let format: String
    let from: Int128
    let step: Int128
    /// Whether it went on at the other end of its format.
    let wraps: Bool
  }

  /// The times between the values, where they differ much.
  struct Spread: Hashable, Sendable {
    let shortest: Duration
    let median: Duration
    /// What one of ten exceeds.
    let long: Duration
    let longest: Duration
    /// How far most of them are from the median.
    let usual: Duration
  }

  /// How many equal steps make a counter: two values of a sensor differ by something, too.
  private static let fewestSteps = 4

  private static let largestStep: Int128 = 1000
  /// Two values that come sooner are one message in two parts, and no rate.
  private static let shortestOfTwo = Duration.milliseconds(200)

  /// Nil without values. The values are in order of time.
  ///
  /// - Parameter end: When the subscriptions ended; nil where it may have sent more that nobody heard.
  init?(_ values: [RecordedValue], until end: Duration?) {
    guard let last = values.last else { return nil }
    guard let every = Self.gap(of: values), values.count > 2 || every >= Self.shortestOfTwo else {
      self = .few(values.map(\.octets))
      return
    }
    // It stopped: what counts, or stays the same, would have gone on.
    if let end, end - last.at > every * 3 {
      self = .series(values.map(\.octets), every: every, repeats: false)
    } else if let count = Self.count(values.map(\.octets)) {
      self = .counter(count, every: every)
    } else {
      self = .series(Self.cycle(values.map(\.octets)), every: every, repeats: true)
    }
  }

  /// The values up to where they repeat, which they do once at least; all of them where they do not.
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

  /// The usual time between two values, in the precision of files.
  private static func gap(of values: [RecordedValue]) -> Duration? {
    Figures.median(gaps(values)).map {
      let period = FileLimits.period
      return min(max(period.lowerBound, Figures.rounded($0)), period.upperBound)
    }
  }

  /// How far the times between values are apart; nil where they are about the same.
  static func spread(of values: [RecordedValue]) -> Spread? {
    let gaps = gaps(values).sorted()
    guard let shortest = gaps.first, let longest = gaps.last, let median = Figures.median(gaps),
      longest - shortest > median / 5
    else { return nil }
    let (short, long) = (gaps[gaps.count / 10], gaps[gaps.count * 9 / 10])
    return Spread(
      shortest: Figures.rounded(shortest), median: Figures.rounded(median),
      long: Figures.rounded(long), longest: Figures.rounded(longest),
      usual: Figures.rounded(max(long - median, median - short))
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
      // Of another length there is no number; a file has none of 64 bits without a sign.
      guard numbers.count == values.count, Int64(exactly: numbers[0]) != nil else { continue }
      let range = Int128(1) << bits
      // The shorter way round, where a number has wrapped.
      let steps = zip(numbers.dropFirst(), numbers).map { next, last in
        (next - last + range + range / 2) % range - range / 2
      }
      // Several small numbers side by side may rise evenly, too.
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
    // In the other order of octets, ones are steps of 256.
    return counts.min { abs($0.step) < abs($1.step) }
  }
}

/// Figures from samples.
enum Figures {
  static func median<Value: Comparable>(_ values: [Value]) -> Value? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }

  /// Three digits: whole milliseconds, and less of longer times.
  static func rounded(_ duration: Duration) -> Duration {
    let milliseconds = max(0, (duration / .milliseconds(1)).rounded())
    var unit = 1.0
    while milliseconds / unit >= 1000 { unit *= 10 }
    return .milliseconds(Int64((milliseconds / unit).rounded() * unit))
  }
}
