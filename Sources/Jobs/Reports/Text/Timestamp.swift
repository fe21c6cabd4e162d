// Wall-clock times as text.

/// Writes times in RFC 3339, in UTC, with microseconds.
public enum Timestamp {
  /// `2000-01-01T00:00:00.000000Z`.
  ///
  /// The calendar is the proleptic Gregorian one; leap seconds are not counted, as in POSIX.
  ///
  /// ```swift
  /// _ = try await plan.run(on: sensor) { event in
  ///   print(Timestamp.text(event.wallClock), event.change)
  /// }
  /// ```
  ///
  /// - Parameter time: Since 1970-01-01T00:00:00Z; may be negative.
  public static func text(_ time: Duration) -> String {
    let (seconds, micros) = floorMicroseconds(time).divided(by: 1_000_000)
    let (days, ofDay) = seconds.divided(by: 86_400)
    let date = CivilDate(daysSince1970: days)
    let clock = [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { padded($0, 2) }
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
      + "T\(clock.joined(separator: ":")).\(padded(micros, 6))Z"
  }

  /// When something began, for people: the clock of a simulation in virtual time begins in 2000, which
  /// means nothing to them.
  package static func beginning(_ time: Duration, isSimulated: Bool) -> String {
    guard isSimulated else { return text(time) }
    return time < virtualTimeEnd ? "in a simulation" : "\(text(time)), in a simulation"
  }

  /// A later time is that of a clock: 2020-01-01T00:00:00Z.
  private static let virtualTimeEnd = Duration.seconds(1_577_836_800)

  /// The time that ``text(_:)`` wrote; nil for any other text.
  package static func time(_ text: String) -> Duration? {
    guard isTime(text) else { return nil }
    let numbers = text.split { !$0.isNumber }.compactMap { Int64($0) }
    guard numbers.count == 7 else { return nil }
    let days = CivilDate.daysSince1970(year: numbers[0], month: numbers[1], day: numbers[2])
    let seconds = days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    return .seconds(seconds) + .microseconds(numbers[6])
  }

  /// Whether a text has the form that ``text(_:)`` writes for years of four digits.
  package static func isTime(_ text: String) -> Bool {
    let form = "0000-00-00T00:00:00.000000Z".utf8
    return text.utf8.count == form.count
      && zip(text.utf8, form).allSatisfy { octet, sign in
        sign == UInt8(ascii: "0") ? UInt8(ascii: "0")...UInt8(ascii: "9") ~= octet : octet == sign
      }
  }

  private static func floorMicroseconds(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    return seconds * 1_000_000 + attoseconds.divided(by: 1_000_000_000_000).quotient
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
