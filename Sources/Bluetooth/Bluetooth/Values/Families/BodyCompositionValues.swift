// Values of the Body Composition service.

/// - Source: Body Composition Service 1.0, §3; GATT Specification Supplement, "Body Composition
///   Measurement", "Body Composition Feature".
enum BodyCompositionValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a9b, feature), (0x2a9c, measurement),
  ]

  /// Fields `fat` in percent (always) and those that the flags indicate.
  ///
  /// Bit 0 of the flags is set when masses and height are imperial; they are then also printed in
  /// kg and m.
  static let measurement = ValueLayout(
    "body composition measurement",
    [
      .flags(2),
      .field("fat", .unsigned(2, over: 10, [0xffff: "unsuccessful"]), "%"),
      .field("timestamp", .dateTime, nil, .set(1)),
      .field("user", .unsigned(1, [0xff: "unknown"]), nil, .set(2)),
      .field("metabolism", .u16, "kJ", .set(3)),
      .field("muscle", .unsigned(2, over: 10), "%", .set(4)),
    ]
      + mass("muscle-", bit: 5) + mass("fat-free-", bit: 6) + mass("lean-", bit: 7)
      + mass("water-", bit: 8)
      + [.field("impedance", .unsigned(2, over: 10), "Ω", .set(9))]
      + mass("", bit: 10)
      + [
        .field("metres", .metres, "m", .set(11, with: 0, false)),
        .field("inches", .inches, "in", .set(11, with: 0, true), shownAs: .metres("metres")),
        .flag("continued", 12),
      ]
  )

  /// A mass that bit `bit` indicates, in kg or in pounds.
  private static func mass(_ prefix: String, bit: UInt64) -> [ValuePart] {
    let name = prefix + "kilograms"
    return [
      .field(name, .kilograms, "kg", .set(bit, with: 0, false)),
      .field(prefix + "pounds", .pounds, "lb", .set(bit, with: 0, true), shownAs: .kilograms(name)),
    ]
  }

  static let feature = ValueLayout(
    "body composition feature",
    [
      .split(
        "features", octets: 4,
        BitField.flags([
          "timestamp", "multiple-users", "metabolism", "muscle-percentage", "muscle-mass",
          "fat-free-mass", "lean-mass", "water-mass", "impedance", "weight", "height",
        ]) + [
          .choice("mass-resolution", 11..<15, WeightValues.massResolutions),
          .choice("height-resolution", 15..<18, WeightValues.heightResolutions),
        ]
      )
    ]
  )
}
