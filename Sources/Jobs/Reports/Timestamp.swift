// Wall-clock times as text.

/// Writes times in RFC 3339, in UTC, with microseconds.
public enum Timestamp {
  /// `2000-01-01T00:00:00.000000Z`.
  ///
  /// The calendar is the proleptic Gregorian one; leap seconds are not counted, as in POSIX.
  ///
  /// - Parameter time: Since 1970-01-01T00:00:00Z; may be negative.
  public static func text(_ time: Duration) -> String {
    let (seconds, micros) = divided(floorMicroseconds(time), by: 1_000_000)
    let (days, ofDay) = divided(seconds, by: 86_400)
    let (year, month, day) = date(days)
    let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { padded($0, 2) }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(clock.joined(separator: ":")).\(padded(micros, 6))Z"
  }

  private static func floorMicroseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let (micros, rest) = divided(attoseconds, by: 1_000_000_000_000)
    _ = rest
    return seconds * 1_000_000 + micros
  }

  /// The day of a number of days since 1970-01-01.
  ///
  /// - Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
  private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Counted from 0000-03-01, so that the leap day is the last of its year.
    let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  /// Quotient and remainder, the remainder never negative.
  private static func divided(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
    let remainder = number % divisor
    return remainder < 0
      ? (number / divisor - 1, remainder + divisor) : (number / divisor, remainder)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
