// Values of the Health Thermometer service.

/// - Source: Health Thermometer Service 1.0, §3; GATT Specification Supplement, "Temperature
///   Measurement", "Temperature Type", "Intermediate Temperature", "Measurement Interval".
enum ThermometerValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a1c, measurement), (0x2a1d, type), (0x2a1e, measurement), (0x2a21, interval),
  ]

  /// Fields `celsius` (always), `fahrenheit` when sent so, `timestamp`, `type`.
  static let measurement = ValueLayout(
    "temperature measurement",
    [
      .flags(1),
      .field("celsius", .float, "°C", .clear(0), title: "temperature"),
      .field("fahrenheit", .float, "°F", .set(0), shownAs: .celsius, title: "temperature"),
      .field("timestamp", .dateTime, nil, .set(1)),
      .field("type", types, nil, .set(2)),
    ]
  )

  static let type = ValueLayout(bare: "type", types)

  /// Zero means that measurements are not repeated.
  static let interval = ValueLayout("seconds", .u16, "s")

  private static let types = FieldFormat.named([
    1: "armpit", 2: "body", 3: "ear", 4: "finger", 5: "gastro-intestinal tract", 6: "mouth",
    7: "rectum", 8: "toe", 9: "tympanum",
  ])
}

extension Conversion {
  static let celsius = Conversion("celsius", "°C", decimals: 1) { ($0 - 32) * 5 / 9 }
}
