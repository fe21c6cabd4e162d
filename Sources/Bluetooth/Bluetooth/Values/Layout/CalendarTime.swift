// Dates and times as numbers of seconds since an instant, without a time zone.

/// The calendar of times that are sent as a number of seconds.
enum CalendarTime {
  /// The text of an instant: `2022-12-13 21:38:01`, with decimals if the number has any. Nil for
  /// values that are not numbers, and for years that have not four digits.
  static func text(of value: DecodedValue, since epoch: Int128) -> DecodedValue? {
    guard let number = value.number, number.isFinite, abs(number) < 1e12 else { return nil }
    let whole = number.rounded(.down)
    let total = Int(epoch) + Int(whole)
    let (days, seconds) = (floored(total, 86400), total - floored(total, 86400) * 86400)
    let (year, month, day) = date(days)
    guard (0...9999).contains(year) else { return nil }
    func padded(_ number: Int, _ count: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2)) "
    text += clock.joined(separator: ":")
    if case .real(_, let decimals) = value, decimals > 0 {
      let fraction = DecodedValue.real(number - whole, decimals: min(decimals, 6)).description
      text += fraction.drop { $0 != "." }
    }
    return .text(text)
  }

  /// The seconds from 1970 to a text such as `2022-12-13 21:38:01` or `1970-01-01`; nil for other
  /// texts.
  static func seconds(in text: String) -> Int128? {
    let parts = text.split(omittingEmptySubsequences: false) { "- :".contains($0) }
    let numbers = parts.compactMap { Int($0) }
    guard parts.count == numbers.count, parts.count == 3 || parts.count == 6,
      (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]), (1...31).contains(numbers[2])
    else { return nil }
    let clock = parts.count == 6 ? Array(numbers[3...]) : [0, 0, 0]
    guard (0..<24).contains(clock[0]), (0..<60).contains(clock[1]), (0..<60).contains(clock[2])
    else {
      return nil
    }
    let days = days(numbers[0], numbers[1], numbers[2])
    guard date(days) == (numbers[0], numbers[1], numbers[2]) else { return nil }
    return Int128(days * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
  }

  /// The days from 1970-01-01 to a date of the Gregorian calendar, in which March begins the year.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let year = month <= 2 ? year - 1 : year
    let era = floored(year, 400)
    let ofEra = year - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }

  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let days = days + 719_468
    let era = floored(days, 146_097)
    let ofEra = days - era * 146_097
    let year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let civil = month < 10 ? month + 3 : month - 9
    return (era * 400 + year + (civil <= 2 ? 1 : 0), civil, ofYear - (153 * month + 2) / 5 + 1)
  }

  private static func floored(_ number: Int, _ divisor: Int) -> Int {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }
}
