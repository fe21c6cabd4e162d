// Values of the Running Speed and Cadence service.

/// - Source: Running Speed and Cadence Service 1.0, §3; GATT Specification Supplement, "RSC
///   Measurement", "RSC Feature".
enum RunningValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a53, measurement), (0x2a54, feature),
  ]

  /// Fields `speed` in m/s, `cadence` in steps a minute, `stride` and `distance` in m, `running`.
  static let measurement = ValueLayout(
    "RSC measurement",
    [
      .flags(1),
      .field("speed", .unsigned(2, over: 256), "m/s"),
      .field("cadence", .u8, "1/min"),
      .field("stride", .unsigned(2, over: 100), "m", .set(0)),
      .field("distance", .unsigned(4, over: 10), "m", .set(1)),
      .flag("running", 2),
    ]
  )

  static let feature = ValueLayout(
    "RSC feature",
    [
      .split(
        "features", octets: 2,
        BitField.flags(["stride", "distance", "running", "calibration", "multiple-locations"])
      )
    ]
  )
}
