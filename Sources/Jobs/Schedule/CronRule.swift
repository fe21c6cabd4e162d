// A cron schedule: times in five fields.

import Documents

/// The minutes at which something begins: `*/15 6-22 * * mon-fri`.
///
/// The fields are minute, hour, day of the month, month, day of the week. Each is `*`, a number, a
/// range, or several of these separated by commas, each with `/n` for every nth. Months and days of
/// the week may be named by three letters; 0 and 7 are Sunday. When neither day is `*`, a day that
/// matches one of them matches. **Times are UTC**: daylight saving time neither skips nor repeats
/// any, and a simulated run is the same on every host.
///
/// - Source: crontab(5), except for the time zone.
public struct CronRule: Hashable, Sendable, CustomStringConvertible {
  private let minutes: CronField
  private let hours: CronField
  private let days: CronField
  private let months: CronField
  private let weekdays: CronField
  /// The text as it was written.
  public let description: String

  /// Reads five fields.
  ///
  /// ```swift
  /// let schedule = Schedule(.cron(try CronRule("*/15 6-22 * * mon-fri")))
  /// ```
  ///
  /// - Throws: ``CronProblem`` for invalid fields, and for a rule that never matches.
  public init(_ text: String) throws(CronProblem) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count == 5 else {
      throw CronProblem(found: counted(words.count, "field"), expected: CronProblem.shape)
    }
    minutes = try CronField(words[0], "minute", 0...59)
    hours = try CronField(words[1], "hour", 0...23)
    days = try CronField(words[2], "day of the month", 1...31)
    months = try CronField(words[3], "month", 1...12, names: CronField.months, first: 1)
    weekdays = try CronField(words[4], "day of the week", 0...7, names: CronField.weekdays)
    description = words.joined(separator: " ")
    guard next(after: .zero) != nil else {
      throw CronProblem(message: "no date matches", expected: CronProblem.shape)
    }
  }

  /// How many days are searched: at most eight years lie between two 29ths of February.
  private static let longest: Int64 = 366 * 9

  /// The first matching minute after a time.
  ///
  /// ```swift
  /// let rule = try CronRule("0 3 * * *")
  /// print(rule.next(after: .zero).map(Timestamp.text) ?? "")  // 1970-01-01T03:00:00.000000Z
  /// ```
  ///
  /// - Parameter time: Since 1970-01-01T00:00:00Z.
  /// - Returns: The start of that minute, likewise; nil without one, which the initialiser rejects.
  public func next(after time: Duration) -> Duration? {
    let minute = time.components.seconds.divided(by: 60).quotient + 1
    let (firstDay, minuteOfDay) = minute.divided(by: 1440)
    for day in firstDay..<(firstDay + Self.longest) where fits(CivilDate(daysSince1970: day)) {
      let earliest = day == firstDay ? minuteOfDay : 0
      if let found = nextMinute(from: earliest) { return .seconds((day * 1440 + found) * 60) }
    }
    return nil
  }

  private func fits(_ date: CivilDate) -> Bool {
    guard months.contains(date.month) else { return false }
    let isDay = days.contains(date.day)
    let isWeekday =
      weekdays.contains(date.weekday) || (date.weekday == 0 && weekdays.contains(7))
    // An open day field leaves the decision to the other.
    return days.isOpen || weekdays.isOpen ? isDay && isWeekday : isDay || isWeekday
  }

  private func nextMinute(from earliest: Int64) -> Int64? {
    (earliest..<1440).first { hours.contains($0 / 60) && minutes.contains($0 % 60) }
  }
}

/// An error in a cron schedule.
public struct CronProblem: Error, Hashable, Sendable {
  /// What is wrong with the expression.
  public let message: String
  /// What would be valid, unless the message states it.
  public let expected: String?

  init(message: String, expected: String) {
    self.message = message
    self.expected = expected
  }

  /// An invalid text: the message is `expected Y, found X`.
  init(found: String, expected: String) {
    message = DocumentProblem.message(found: found, expected: expected)
    self.expected = nil
  }

  static let shape =
    "minute, hour, day of the month, month and day of the week such as '*/15 6-22 * * mon-fri'"
}
