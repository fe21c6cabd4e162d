// Values of the Current Time and Next DST Change services.

/// - Source: Current Time Service 1.1, §3; GATT Specification Supplement, "Date Time", "Day of
///   Week", "Day Date Time", "Exact Time 256", "Current Time", "Local Time Information", "Reference
///   Time Information", "Time Zone", "DST Offset", "Time with DST", "Time Source", "Time Accuracy".
enum TimeValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a08, dateTime), (0x2a09, dayOfWeek), (0x2a0a, dayDateTime), (0x2a0c, exactTime),
    (0x2a0d, summerTime), (0x2a0e, zone), (0x2a0f, localTime), (0x2a11, timeWithSummerTime),
    (0x2a12, accuracy), (0x2a13, source), (0x2a14, reference), (0x2a2b, currentTime),
  ]

  static let dateTime = ValueLayout(bare: "time", .dateTime)
  static let dayOfWeek = ValueLayout(bare: "day", .named(days))
  static let dayDateTime = ValueLayout("day date time", dayAndTime)
  static let exactTime = ValueLayout("exact time", dayAndTime + [fraction])

  /// Fields `time`, `day`, `fraction` of the second, and the adjust reason.
  static let currentTime = ValueLayout(
    "current time",
    dayAndTime + [
      fraction,
      .split(
        "adjust reason", octets: 1,
        BitField.flags(["set-by-hand", "set-by-reference", "zone-changed", "summer-time-changed"])
      ),
    ]
  )

  static let zone = ValueLayout("zone", zones, "h", in: -12...14)
  static let summerTime = ValueLayout(bare: "summer-time", .named(summerTimes))

  /// Fields `zone`, in hours from UTC, and `summer-time`.
  static let localTime = ValueLayout(
    "local time information",
    [.field("zone", zones, "h", in: -12...14), .field("summer-time", .named(summerTimes))]
  )

  static let timeWithSummerTime = ValueLayout(
    "time with DST", [.field("time", .dateTime), .field("summer-time", .named(summerTimes))]
  )

  static let source = ValueLayout(bare: "source", .named(sources))
  static let accuracy = ValueLayout("accuracy", accuracies, "s")

  /// The source of the time, its accuracy, and how long ago it was updated.
  static let reference = ValueLayout(
    "reference time information",
    [
      .field("source", .named(sources)),
      .field("accuracy", accuracies, "s"),
      .field("days", .unsigned(1, [0xff: "255 or more"]), "d"),
      .field("hours", .unsigned(1, [0xff: "255 days or more"]), "h", in: 0...23),
    ]
  )

  private static let dayAndTime: [ValuePart] = [
    .field("time", .dateTime), .field("day", .named(days)),
  ]

  private static let fraction = ValuePart.field("fraction", .unsigned(1, over: 256), "s")
  /// Quarters of an hour.
  private static let zones = FieldFormat.signed(1, over: 4, [-128: "unknown"])
  /// Eighths of a second.
  private static let accuracies = FieldFormat.unsigned(
    1, over: 8, [0xfe: "worse than 31.625 s", 0xff: "unknown"]
  )

  private static let days = [
    "unknown", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  private static let summerTimes: KeyValuePairs<UInt64, String> = [
    0: "standard time", 2: "half an hour", 4: "one hour", 8: "two hours", 255: "unknown",
  ]

  private static let sources = [
    "unknown", "network time protocol", "GPS", "radio time signal", "manual", "atomic clock",
    "cellular network",
  ]
}
