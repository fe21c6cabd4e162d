// Values of the Blood Pressure service.

/// - Source: Blood Pressure Service 1.1.1, §3; GATT Specification Supplement, "Blood Pressure
///   Measurement", "Intermediate Cuff Pressure", "Blood Pressure Feature".
enum BloodPressureValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a35, measurement), (0x2a36, cuffPressure), (0x2a49, feature),
  ]

  /// Fields `systolic`, `diastolic` and `mean` in mmHg, and in kPa when sent so; `timestamp`,
  /// `pulse`, `user`, and the measurement status.
  static let measurement = ValueLayout(
    "blood pressure measurement",
    [
      .flags(1),
      .field("systolic", .sfloat, "mmHg", .clear(0)),
      .field("diastolic", .sfloat, "mmHg", .clear(0)),
      .field("mean", .sfloat, "mmHg", .clear(0)),
      .field("systolic-kilopascals", .sfloat, "kPa", .set(0), shownAs: .pressure("systolic")),
      .field("diastolic-kilopascals", .sfloat, "kPa", .set(0), shownAs: .pressure("diastolic")),
      .field("mean-kilopascals", .sfloat, "kPa", .set(0), shownAs: .pressure("mean")),
    ] + details
  )

  /// A measurement, with the current pressure in place of the systolic one.
  ///
  /// The diastolic and mean pressures are unused.
  static let cuffPressure = ValueLayout(
    "intermediate cuff pressure",
    [
      .flags(1),
      .field("pressure", .sfloat, "mmHg", .clear(0)),
      .field("pressure-kilopascals", .sfloat, "kPa", .set(0), shownAs: .pressure("pressure")),
      // Two SFLOATs that are NaN.
      .unused([0xff, 0x07, 0xff, 0x07]),
    ] + details
  )

  private static let details: [ValuePart] = [
    .field("timestamp", .dateTime, nil, .set(1)),
    .field("pulse", .sfloat, "bpm", .set(2)),
    .field("user", .unsigned(1, [0xff: "unknown"]), nil, .set(3)),
    .split(
      "measurement status", octets: 2,
      [
        .flag("movement", 0),
        .flag("loose-cuff", 1),
        .flag("irregular-pulse", 2),
        .choice("pulse-range", 3..<5, ["within", "above", "below"]),
        .flag("improper-position", 5),
      ],
      .set(4)
    ),
  ]

  /// The conditions that the device can detect.
  static let feature = ValueLayout(
    "blood pressure feature",
    [
      .split(
        "features", octets: 2,
        BitField.flags([
          "movement", "loose-cuff", "irregular-pulse", "pulse-range", "improper-position",
          "multiple-bonds", "checksum", "user-data", "user-facing-time",
        ])
      )
    ]
  )
}

extension Conversion {
  /// From kPa to mmHg: a millimetre of mercury is 133.322387415 Pa.
  fileprivate static func pressure(_ name: String) -> Conversion {
    Conversion(name, "mmHg", decimals: 1) { $0 * 1000 / 133.322387415 }
  }
}
