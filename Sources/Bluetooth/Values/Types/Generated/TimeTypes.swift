// The types of the values of TimeValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: day date time.
public struct DayDateTime: Hashable, Sendable {
  /// `time`.
  public var time: DateTime
  /// `day`.
  public var day: String

  /// A value with these fields.
  public init(
    time: DateTime,
    day: String
  ) {
    self.time = time
    self.day = day
  }
}

extension DayDateTime: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    time = try fields.value("time")
    day = try fields.value("day")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("time", time),
      field("day", day),
    ]
  }
}

/// The fields of: exact time.
public struct ExactTime: Hashable, Sendable {
  /// `time`.
  public var time: DateTime
  /// `day`.
  public var day: String
  /// `fraction`, in s.
  public var fraction: Double

  /// A value with these fields.
  public init(
    time: DateTime,
    day: String,
    fraction: Double
  ) {
    self.time = time
    self.day = day
    self.fraction = fraction
  }
}

extension ExactTime: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    time = try fields.value("time")
    day = try fields.value("day")
    fraction = try fields.value("fraction")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("time", time),
      field("day", day),
      field("fraction", fraction),
    ]
  }
}

/// The fields of: local time information.
public struct LocalTimeInformation: Hashable, Sendable {
  /// `zone`, in h.
  public var zone: Quantity<Double>
  /// `summer-time`.
  public var summerTime: String

  /// A value with these fields.
  public init(
    zone: Quantity<Double>,
    summerTime: String
  ) {
    self.zone = zone
    self.summerTime = summerTime
  }
}

extension LocalTimeInformation: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    zone = try fields.value("zone")
    summerTime = try fields.value("summer-time")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("zone", zone),
      field("summer-time", summerTime),
    ]
  }
}

/// The fields of: time with DST.
public struct TimeWithDST: Hashable, Sendable {
  /// `time`.
  public var time: DateTime
  /// `summer-time`.
  public var summerTime: String

  /// A value with these fields.
  public init(
    time: DateTime,
    summerTime: String
  ) {
    self.time = time
    self.summerTime = summerTime
  }
}

extension TimeWithDST: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    time = try fields.value("time")
    summerTime = try fields.value("summer-time")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("time", time),
      field("summer-time", summerTime),
    ]
  }
}

/// The fields of: reference time information.
public struct ReferenceTimeInformation: Hashable, Sendable {
  /// `source`.
  public var source: String
  /// `accuracy`, in s.
  public var accuracy: Quantity<Double>
  /// `days`, in d.
  public var days: Quantity<Int>
  /// `hours`, in h.
  public var hours: Quantity<Int>

  /// A value with these fields.
  public init(
    source: String,
    accuracy: Quantity<Double>,
    days: Quantity<Int>,
    hours: Quantity<Int>
  ) {
    self.source = source
    self.accuracy = accuracy
    self.days = days
    self.hours = hours
  }
}

extension ReferenceTimeInformation: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    source = try fields.value("source")
    accuracy = try fields.value("accuracy")
    days = try fields.value("days")
    hours = try fields.value("hours")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("source", source),
      field("accuracy", accuracy),
      field("days", days),
      field("hours", hours),
    ]
  }
}

/// The fields of: current time.
public struct CurrentTime: Hashable, Sendable {
  /// `time`.
  public var time: DateTime
  /// `day`.
  public var day: String
  /// `fraction`, in s.
  public var fraction: Double
  /// `set-by-hand`.
  public var setByHand: Bool
  /// `set-by-reference`.
  public var setByReference: Bool
  /// `zone-changed`.
  public var zoneChanged: Bool
  /// `summer-time-changed`.
  public var summerTimeChanged: Bool

  /// A value with these fields.
  public init(
    time: DateTime,
    day: String,
    fraction: Double,
    setByHand: Bool = false,
    setByReference: Bool = false,
    zoneChanged: Bool = false,
    summerTimeChanged: Bool = false
  ) {
    self.time = time
    self.day = day
    self.fraction = fraction
    self.setByHand = setByHand
    self.setByReference = setByReference
    self.zoneChanged = zoneChanged
    self.summerTimeChanged = summerTimeChanged
  }
}

extension CurrentTime: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    time = try fields.value("time")
    day = try fields.value("day")
    fraction = try fields.value("fraction")
    setByHand = try fields.value("set-by-hand")
    setByReference = try fields.value("set-by-reference")
    zoneChanged = try fields.value("zone-changed")
    summerTimeChanged = try fields.value("summer-time-changed")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("time", time),
      field("day", day),
      field("fraction", fraction),
      field("set-by-hand", setByHand),
      field("set-by-reference", setByReference),
      field("zone-changed", zoneChanged),
      field("summer-time-changed", summerTimeChanged),
    ]
  }
}

extension Characteristic where Value == DateTime {
  /// Date Time.
  public static var dateTime: Self { .standard(0x2a08) }
}

extension Characteristic where Value == String {
  /// Day of Week.
  public static var dayOfWeek: Self { .standard(0x2a09) }
}

extension Characteristic where Value == DayDateTime {
  /// Day Date Time.
  public static var dayDateTime: Self { .standard(0x2a0a) }
}

extension Characteristic where Value == ExactTime {
  /// Exact Time 256.
  public static var exactTime256: Self { .standard(0x2a0c) }
}

extension Characteristic where Value == String {
  /// DST Offset.
  public static var dstOffset: Self { .standard(0x2a0d) }
}

extension Characteristic where Value == Quantity<Double> {
  /// Time Zone, in h.
  public static var timeZone: Self { .standard(0x2a0e) }
}

extension Characteristic where Value == LocalTimeInformation {
  /// Local Time Information.
  public static var localTimeInformation: Self { .standard(0x2a0f) }
}

extension Characteristic where Value == TimeWithDST {
  /// Time with DST.
  public static var timeWithDST: Self { .standard(0x2a11) }
}

extension Characteristic where Value == Quantity<Double> {
  /// Time Accuracy, in s.
  public static var timeAccuracy: Self { .standard(0x2a12) }
}

extension Characteristic where Value == String {
  /// Time Source.
  public static var timeSource: Self { .standard(0x2a13) }
}

extension Characteristic where Value == ReferenceTimeInformation {
  /// Reference Time Information.
  public static var referenceTimeInformation: Self { .standard(0x2a14) }
}

extension Characteristic where Value == CurrentTime {
  /// Current Time.
  public static var currentTime: Self { .standard(0x2a2b) }
}
