// Values of the Glucose service.

/// - Source: Glucose Service 1.0.1, §3; GATT Specification Supplement, "Glucose Measurement",
///   "Glucose Measurement Context", "Glucose Feature".
enum GlucoseValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a18, measurement), (0x2a34, context), (0x2a51, feature),
  ]

  /// The concentration is printed in the display unit of a meter first, then in the unit that was
  /// sent.
  static let measurement = ValueLayout(
    "glucose measurement",
    [
      .flags(1),
      .field("sequence", .u16),
      .field("time", .dateTime),
      .field("offset", .signed(2, [0x7fff: "overrun", -0x8000: "underrun"]), "min", .set(0)),
      .field(
        "kilograms-per-litre", .sfloat, "kg/L", .set(1, with: 2, false),
        shownAs: Conversion("milligrams-per-decilitre", "mg/dL", shift: -5) { $0 * 100_000 }
      ),
      .field(
        "moles-per-litre", .sfloat, "mol/L", .set(1, with: 2, true),
        shownAs: Conversion("millimoles-per-litre", "mmol/L", shift: -3) { $0 * 1000 }
      ),
      .split(
        "type and location", octets: 1,
        [.choice("type", 0..<4, types), .choice("location", 4..<8, locations)], .set(1)
      ),
      .field("status", .bits(octets: 2, statuses), nil, .set(3)),
      .flag("context-follows", 4),
    ]
  )

  /// The circumstances of the measurement with the same sequence number.
  static let context = ValueLayout(
    "glucose measurement context",
    [
      .flags(1),
      .field("sequence", .u16),
      .field("extended-flags", .octets(1), nil, .set(7)),
      .field("carbohydrate", .named(carbohydrates), nil, .set(0)),
      .field(
        "carbohydrate-kilograms", .sfloat, "kg", .set(0),
        shownAs: Conversion("carbohydrate-grams", "g", shift: -3) { $0 * 1000 }
      ),
      .field("meal", .named(meals), nil, .set(1)),
      .split(
        "tester and health", octets: 1,
        [.choice("tester", 0..<4, testers), .choice("health", 4..<8, healths)], .set(2)
      ),
      .field("exercise-duration", .unsigned(2, [0xffff: "overrun"]), "s", .set(3)),
      .field("exercise-intensity", .u8, "%", .set(3)),
      .field("medication", .named(medications), nil, .set(4)),
      .field(
        "medication-kilograms", .sfloat, "kg", .set(4, with: 5, false),
        shownAs: Conversion("medication-milligrams", "mg", shift: -6) { $0 * 1_000_000 }
      ),
      .field(
        "medication-litres", .sfloat, "L", .set(4, with: 5, true),
        shownAs: Conversion("medication-millilitres", "mL", shift: -3) { $0 * 1000 }
      ),
      .field("hba1c", .sfloat, "%", .set(6)),
    ]
  )

  /// The conditions that the device can detect.
  static let feature = ValueLayout(
    "glucose feature",
    [
      .split(
        "features", octets: 2,
        BitField.flags([
          "low-battery", "sensor-malfunction", "sample-size", "strip-insertion", "strip-type",
          "result-range", "temperature-range", "read-interrupt", "device-fault", "time-fault",
          "multiple-bonds",
        ])
      )
    ]
  )

  static let types: KeyValuePairs<UInt64, String> = [
    1: "capillary whole blood", 2: "capillary plasma", 3: "venous whole blood",
    4: "venous plasma", 5: "arterial whole blood", 6: "arterial plasma",
    7: "undetermined whole blood", 8: "undetermined plasma", 9: "interstitial fluid",
    10: "control solution",
  ]

  private static let locations: KeyValuePairs<UInt64, String> = [
    1: "finger", 2: "alternate site", 3: "earlobe", 4: "control solution", 15: "not available",
  ]

  private static let statuses = [
    "battery low", "sensor malfunction", "sample too small", "strip insertion error",
    "wrong strip type", "result too high", "result too low", "too warm", "too cold",
    "strip pulled too soon", "device fault", "time fault",
  ]

  private static let carbohydrates: KeyValuePairs<UInt64, String> = [
    1: "breakfast", 2: "lunch", 3: "dinner", 4: "snack", 5: "drink", 6: "supper", 7: "brunch",
  ]

  private static let meals: KeyValuePairs<UInt64, String> = [
    1: "before meal", 2: "after meal", 3: "fasting", 4: "casual", 5: "bedtime",
  ]

  private static let testers: KeyValuePairs<UInt64, String> = [
    1: "self", 2: "health care professional", 3: "laboratory", 15: "not available",
  ]

  private static let healths: KeyValuePairs<UInt64, String> = [
    1: "minor issues", 2: "major issues", 3: "during menses", 4: "under stress", 5: "no issues",
    15: "not available",
  ]

  private static let medications: KeyValuePairs<UInt64, String> = [
    1: "rapid acting insulin", 2: "short acting insulin", 3: "intermediate acting insulin",
    4: "long acting insulin", 5: "pre-mixed insulin",
  ]
}
