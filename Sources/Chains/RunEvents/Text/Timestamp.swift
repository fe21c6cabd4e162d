// Wall-clock times as text.

import Glibc

/// Wall-clock times as text in RFC 3339, in UTC, with microseconds.
public enum Timestamp {
  /// Writes a time as `2000-01-01T00:00:00.000000Z`.
  ///
  /// The calendar is the proleptic Gregorian one; leap seconds are not counted, as in POSIX.
  ///
  /// ```swift
  /// _ = try await plan.run(on: sensor) { event in
  ///   print(Timestamp.text(event.wallClock), event.change)
  /// }
  /// ```
  ///
  /// - Parameter time: The time since 1970-01-01T00:00:00Z; may be negative.
  public static func text(_ time: Duration) -> String {
    let all = time.wholeMicroseconds
    let micros = (all % 1_000_000 + 1_000_000) % 1_000_000
    var (seconds, at) = (time_t((all - micros) / 1_000_000), tm())
    gmtime_r(&seconds, &at)
    let year = at.tm_year + 1900
    guard (0...9999).contains(year) else { return far(year, at, micros) }
    // Each event of a run has a time, so it is made without texts for its parts.
    return String(unsafeUninitializedCapacity: form.utf8.count) { text in
      _ = text.initialize(from: form.utf8)
      func write(_ number: some BinaryInteger, _ first: Int, _ width: Int) {
        var rest = Int(number)
        for index in (first..<first + width).reversed() {
          text[index] = UInt8(ascii: "0") + UInt8(rest % 10)
          rest /= 10
        }
      }
      write(year, 0, 4)
      write(at.tm_mon + 1, 5, 2)
      write(at.tm_mday, 8, 2)
      write(at.tm_hour, 11, 2)
      write(at.tm_min, 14, 2)
      write(at.tm_sec, 17, 2)
      write(micros, 20, 6)
      return form.utf8.count
    }
  }

  /// The form of a time.
  private static let form = "0000-00-00T00:00:00.000000Z"

  /// The text of a time in a year that does not have four digits.
  private static func far(_ year: Int32, _ at: tm, _ micros: some BinaryInteger) -> String {
    let clock = [at.tm_hour, at.tm_min, at.tm_sec].map { padded($0, 2) }.joined(separator: ":")
    return "\(padded(year, 4))-\(padded(at.tm_mon + 1, 2))-\(padded(at.tm_mday, 2))"
      + "T\(clock).\(padded(micros, 6))Z"
  }

  /// A start time for output. The virtual clock of a simulation begins in the year 2000, which is
  /// not shown.
  package static func beginning(_ time: Duration, isSimulated: Bool) -> String {
    guard isSimulated else { return text(time) }
    return time < virtualTimeEnd ? "in a simulation" : "\(text(time)), in a simulation"
  }

  /// 2020-01-01T00:00:00Z; times from then on are not virtual.
  private static let virtualTimeEnd = Duration.seconds(1_577_836_800)

  /// Parses the form of ``text(_:)``; nil for any other text.
  package static func time(_ text: String) -> Duration? {
    guard isTime(text) else { return nil }
    let numbers = text.split { !$0.isNumber }.compactMap { Int32($0) }
    guard numbers.count == 7 else { return nil }
    var at = tm()
    (at.tm_year, at.tm_mon, at.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
    (at.tm_hour, at.tm_min, at.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return .seconds(timegm(&at)) + .microseconds(numbers[6])
  }

  /// Whether a text has the form of ``text(_:)`` with a year of four digits.
  package static func isTime(_ text: String) -> Bool {
    text.utf8.count == form.utf8.count
      && zip(text.utf8, form.utf8).allSatisfy { octet, sign in
        sign == UInt8(ascii: "0") ? UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet : octet == sign
      }
  }

  private static func padded(_ number: some BinaryInteger, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
