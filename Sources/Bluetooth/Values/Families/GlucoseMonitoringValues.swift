// Values of the Continuous Glucose Monitoring service.

/// - Source: Continuous Glucose Monitoring Service 1.0.2, §3; GATT Specification Supplement, "CGM
///   Measurement", "CGM Feature".
enum GlucoseMonitoringValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2aa7, measurement), (0x2aa8, feature),
  ]

  /// Fields `milligrams-per-decilitre` and `offset`, in min since the start of the session
  /// (always); the others as the flags indicate. A notification with several records has those
  /// behind the first one as `further`.
  static let measurement = ValueLayout(
    "CGM measurement",
    [
      .size(),
      .flags(1),
      .field("milligrams-per-decilitre", .sfloat, "mg/dL"),
      .field("offset", .u16, "min"),
      .field("status", .bits(octets: 1, statuses), nil, .set(7)),
      .field("calibration", .bits(octets: 1, calibrations), nil, .set(6)),
      .field("warning", .bits(octets: 1, warnings), nil, .set(5)),
      .field("trend", .sfloat, "mg/dL/min", .set(0)),
      .field("quality", .sfloat, "%", .set(1)),
      // No flag: the size of the record leaves room for it.
      .field("crc", .octets(2), nil, .ifMore(octets: 2)),
    ]
  )

  /// What the sensor supports, and where it measures. The CRC is `ffff` where it is not supported.
  static let feature = ValueLayout(
    "CGM feature",
    [
      .split(
        "features",
        octets: 3,
        BitField.flags([
          "calibration", "patient-alerts", "hypo-alerts", "hyper-alerts", "rate-alerts",
          "device-alert", "malfunction", "temperature-range", "result-range", "low-battery",
          "sensor-type", "device-fault", "e2e-crc", "multiple-bonds", "multiple-sessions", "trend",
          "quality",
        ])
      ),
      .split(
        "type and location",
        octets: 1,
        [.choice("type", 0..<4, GlucoseValues.types), .choice("location", 4..<8, locations)]
      ),
      .field("crc", .octets(2)),
    ]
  )

  private static let statuses = [
    "session stopped", "battery low", "wrong sensor type", "sensor malfunction", "device alert",
    "device fault",
  ]

  private static let calibrations = [
    "time synchronization required", "calibration not allowed", "calibration recommended",
    "calibration required", "sensor too warm", "sensor too cold",
  ]

  private static let warnings = [
    "below patient low", "above patient high", "below hypo level", "above hyper level",
    "rate of decrease exceeded", "rate of increase exceeded", "below what can be measured",
    "above what can be measured",
  ]

  private static let locations: KeyValuePairs<UInt64, String> = [
    1: "finger", 2: "alternate site", 3: "earlobe", 4: "control solution",
    5: "subcutaneous tissue", 15: "not available",
  ]
}
