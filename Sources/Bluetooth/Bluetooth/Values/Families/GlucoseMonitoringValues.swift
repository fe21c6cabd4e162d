// Values of the Continuous Glucose Monitoring service.

/// - Source: Continuous Glucose Monitoring Service 1.0.2, §3; GATT Specification Supplement, "CGM
///   Measurement", "CGM Feature".
enum GlucoseMonitoringValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2aa7, measurement), (0x2aa8, feature),
  ]

  /// Fields `milligrams-per-decilitre` and `offset`, in min since the start of the session
  /// (always); the others as the flags indicate. A notification may have several records: see
  /// ``StandardValues/records(in:of:)``.
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
      .checksum(.ifMore(octets: 2)),
    ]
  )

  /// The features of the sensor, its type and its location.
  static let feature = ValueLayout(
    "CGM feature",
    [
      .flags(3),
      .flag("calibration", 0), .flag("patient-alerts", 1), .flag("hypo-alerts", 2),
      .flag("hyper-alerts", 3), .flag("rate-alerts", 4), .flag("device-alert", 5),
      .flag("malfunction", 6), .flag("temperature-range", 7), .flag("result-range", 8),
      .flag("low-battery", 9), .flag("sensor-type", 10), .flag("device-fault", 11),
      .flag("e2e-crc", 12), .flag("multiple-bonds", 13), .flag("multiple-sessions", 14),
      .flag("trend", 15), .flag("quality", 16),
      .split(
        "type and location", octets: 1,
        [.choice("type", 0..<4, GlucoseValues.types), .choice("location", 4..<8, locations)]
      ),
      .checksum(.set(12)),
      .unused([0xff, 0xff], .clear(12)),
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
