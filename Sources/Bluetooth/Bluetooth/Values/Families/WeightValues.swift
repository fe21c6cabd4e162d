// Values of the Weight Scale service.

/// - Source: Weight Scale Service 1.0, §3; GATT Specification Supplement, "Weight Measurement",
///   "Weight Scale Feature".
enum WeightValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a9d, measurement), (0x2a9e, feature),
  ]

  /// Fields `kilograms` (always), `pounds` when sent so, `timestamp`, `user`, and `bmi` with
  /// `metres`, which come with `inches` when sent so.
  static let measurement = ValueLayout(
    "weight measurement",
    [
      .flags(1),
      .field("kilograms", .kilograms, "kg", .clear(0)),
      .field("pounds", .pounds, "lb", .set(0), shownAs: .kilograms("kilograms")),
      .field("timestamp", .dateTime, nil, .set(1)),
      .field("user", .unsigned(1, [0xff: "unknown"]), nil, .set(2)),
      .field("bmi", .unsigned(2, over: 10), "kg/m²", .set(3)),
      .field("metres", .metres, "m", .set(3, with: 0, false)),
      .field("inches", .inches, "in", .set(3, with: 0, true), shownAs: .metres("metres")),
    ]
  )

  static let feature = ValueLayout(
    "weight scale feature",
    [
      .split(
        "features", octets: 4,
        [
          .flag("timestamp", 0), .flag("multiple-users", 1), .flag("bmi", 2),
          .choice("weight-resolution", 3..<7, massResolutions),
          .choice("height-resolution", 7..<10, heightResolutions),
        ]
      )
    ]
  )

  static let massResolutions = [
    "not specified", "0.5 kg or 1 lb", "0.2 kg or 0.5 lb", "0.1 kg or 0.2 lb",
    "0.05 kg or 0.1 lb", "0.02 kg or 0.05 lb", "0.01 kg or 0.02 lb", "0.005 kg or 0.01 lb",
  ]

  static let heightResolutions = [
    "not specified", "0.01 m or 1 in", "0.005 m or 0.5 in", "0.001 m or 0.1 in",
  ]
}

extension FieldFormat {
  static let kilograms = unsigned(2, step: 5, over: 1000, unsuccessful)
  static let pounds = unsigned(2, over: 100, unsuccessful)
  static let metres = unsigned(2, over: 1000)
  static let inches = unsigned(2, over: 10)

  private static let unsuccessful: KeyValuePairs<Int64, String> = [0xffff: "unsuccessful"]
}

extension Conversion {
  /// From pounds: one is 0.45359237 kg.
  static func kilograms(_ name: String) -> Conversion {
    Conversion(name, "kg", decimals: 3) { $0 * 0.45359237 }
  }

  /// From inches: one is 0.0254 m.
  static func metres(_ name: String) -> Conversion {
    Conversion(name, "m", decimals: 3) { $0 * 0.0254 }
  }
}
