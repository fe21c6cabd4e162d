// A date and time as devices send it, without a time zone.

/// A date and a time of day; a zero year, month or day means unknown.
///
/// - Source: GATT Specification Supplement, "Date Time".
public struct DateTime: Hashable, Sendable, CustomStringConvertible {
  /// The year; 0 when it is unknown.
  public var year: UInt16
  /// 1 to 12; 0 when it is unknown.
  public var month: UInt8
  /// 1 to 31; 0 when it is unknown.
  public var day: UInt8
  /// 0 to 23.
  public var hour: UInt8
  /// 0 to 59.
  public var minute: UInt8
  /// 0 to 59.
  public var second: UInt8

  /// A date and a time of day.
  public init(
    year: UInt16, month: UInt8, day: UInt8, hour: UInt8 = 0, minute: UInt8 = 0, second: UInt8 = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// Parses `2026-01-31 23:59:00`; nil for other texts, and for what no calendar or clock has.
  ///
  /// ```swift
  /// let time = DateTime("2026-01-31 23:59:00")
  /// ```
  public init?(_ text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { "- :".contains($0) }
    let rest = parts.dropFirst().compactMap { UInt8($0) }
    guard parts.count == 6, let year = UInt16(parts[0]), rest.count == 5 else { return nil }
    self.init(
      year: year, month: rest[0], day: rest[1], hour: rest[2], minute: rest[3], second: rest[4]
    )
    if problem != nil { return nil }
  }

  /// Reads the seven octets.
  init(_ reader: inout OctetReader, _ field: String) throws(ValueError) {
    let start = reader.position
    year = try reader.uint16(field)
    month = try reader.byte(field)
    day = try reader.byte(field)
    hour = try reader.byte(field)
    minute = try reader.byte(field)
    second = try reader.byte(field)
    guard let problem else { return }
    throw ValueError(
      field: field, octet: start + problem.octet, problem: problem.text, isOutOfRange: true
    )
  }

  /// The first component that is out of its range, and its offset; nil for a valid time.
  private var problem: (octet: Int, text: String)? {
    let components: [(octet: Int, name: String, number: Int, range: ClosedRange<Int>)] = [
      (0, "year", Int(year), 1582...9999), (2, "month", Int(month), 0...12),
      (3, "day", Int(day), 0...days), (4, "hour", Int(hour), 0...23),
      (5, "minute", Int(minute), 0...59), (6, "second", Int(second), 0...59),
    ]
    for (octet, name, number, range) in components where !range.contains(number) {
      if octet == 0 && number == 0 { continue }
      return (octet, "\(name) \(number) is not in \(range.lowerBound) to \(range.upperBound)")
    }
    return nil
  }

  /// The number of days of the month: the most that it can have where year or month are unknown.
  private var days: Int {
    switch month {
    case 2:
      let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
      return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// The seven octets.
  var octets: [UInt8] {
    [UInt8(truncatingIfNeeded: year), UInt8(year >> 8), month, day, hour, minute, second]
  }

  /// `2026-01-31 23:59:00`.
  public var description: String {
    func padded(_ number: some BinaryInteger, _ count: Int) -> String {
      let digits = "\(number)"
      return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    return "\(date) \(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
  }
}

extension DateTime: LayoutValue {
  init(_ decoded: DecodedValue, _ field: String) throws(ValueError) {
    guard let time = DateTime(decoded.description) else {
      throw ValueError(field: field, octet: 0, problem: "'\(decoded)' is not a date and time")
    }
    self = time
  }

  var decoded: DecodedValue { .text(description) }
}
