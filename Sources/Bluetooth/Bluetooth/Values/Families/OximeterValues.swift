// Values of the Pulse Oximeter service.

/// - Source: Pulse Oximeter Service 1.0.1, §3; GATT Specification Supplement, "PLX Spot-Check
///   Measurement", "PLX Continuous Measurement", "PLX Features".
enum OximeterValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a5e, spotCheck), (0x2a5f, continuous), (0x2a60, features),
  ]

  /// Fields `spo2` in percent and `pulse` (always); the others as the flags indicate.
  static let spotCheck = ValueLayout(
    "PLX spot-check measurement",
    [
      .flags(1),
      .field("spo2", .sfloat, "%"),
      .field("pulse", .sfloat, "bpm"),
      .field("timestamp", .dateTime, nil, .set(0)),
      .field("status", .bits(octets: 2, statuses), nil, .set(1)),
      .field("sensor-status", .bits(octets: 3, sensorStatuses), nil, .set(2)),
      .field("amplitude", .sfloat, "%", .set(3)),
      .flag("clock-not-set", 4),
    ]
  )

  /// The normal, fast and slow metrics.
  static let continuous = ValueLayout(
    "PLX continuous measurement",
    [
      .flags(1),
      .field("spo2", .sfloat, "%"),
      .field("pulse", .sfloat, "bpm"),
      .field("fast-spo2", .sfloat, "%", .set(0)),
      .field("fast-pulse", .sfloat, "bpm", .set(0)),
      .field("slow-spo2", .sfloat, "%", .set(1)),
      .field("slow-pulse", .sfloat, "bpm", .set(1)),
      .field("status", .bits(octets: 2, statuses), nil, .set(2)),
      .field("sensor-status", .bits(octets: 3, sensorStatuses), nil, .set(3)),
      .field("amplitude", .sfloat, "%", .set(4)),
    ]
  )

  /// The supported features and statuses.
  static let features = ValueLayout(
    "PLX features",
    [
      .flags(2),
      .flag("status", 0), .flag("sensor-status", 1), .flag("storage", 2), .flag("timestamp", 3),
      .flag("fast", 4), .flag("slow", 5), .flag("amplitude", 6), .flag("multiple-bonds", 7),
      .field("statuses", .bits(octets: 2, statuses), nil, .set(0)),
      .field("sensor-statuses", .bits(octets: 3, sensorStatuses), nil, .set(1)),
    ]
  )

  private static let statuses: [String?] = [
    nil, nil, nil, nil, nil, "measurement ongoing", "early estimate", "validated",
    "fully qualified", "from storage", "demonstration", "testing", "calibration ongoing",
    "measurement unavailable", "questionable measurement", "invalid measurement",
  ]

  private static let sensorStatuses = [
    "extended display update", "equipment malfunction", "signal processing irregularity",
    "inadequate signal", "poor signal", "low perfusion", "erratic signal",
    "nonpulsatile signal", "questionable pulse", "signal analysis ongoing",
    "sensor interference", "sensor not on user", "unknown sensor", "sensor displaced",
    "sensor malfunction", "sensor disconnected",
  ]
}
