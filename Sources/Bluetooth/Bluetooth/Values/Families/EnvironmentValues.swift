// Values of the Environmental Sensing service, except wind.

/// - Source: Environmental Sensing Service 1.0.1, §3.1; GATT Specification Supplement, the
///   sections of the names of the characteristics.
enum EnvironmentValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2a6c, elevation), (0x2a6d, pressure), (0x2a6e, temperature), (0x2a6f, humidity),
    (0x2a75, pollen), (0x2a76, ultraviolet), (0x2a77, irradiance), (0x2a78, rainfall),
    (0x2a79, feltTemperature), (0x2a7a, feltTemperature), (0x2a7b, feltTemperature),
    (0x2a2c, declination), (0x2aa0, fluxDensity2D), (0x2aa1, fluxDensity3D),
    (0x2aa3, pressureTrend),
  ]

  static let temperature = ValueLayout(
    "celsius",
    .signed(2, over: 100, [-0x8000: "unknown"]),
    "°C"
  )
  static let humidity = ValueLayout("percent", .unsigned(2, over: 100, [0xffff: "unknown"]), "%")
  static let pressure = ValueLayout("pascals", .unsigned(4, over: 10), "Pa")
  static let elevation = ValueLayout("metres", .signed(3, over: 100), "m")
  static let ultraviolet = ValueLayout("index", .u8)
  /// Dew point, heat index and wind chill: whole degrees.
  static let feltTemperature = ValueLayout("celsius", .i8, "°C")
  static let irradiance = ValueLayout("irradiance", .unsigned(2, over: 10), "W/m²")
  static let rainfall = ValueLayout("millimetres", .u16, "mm")
  static let pollen = ValueLayout("pollen", .u24, "1/m³")
  /// East of true north.
  static let declination = ValueLayout("declination", .unsigned(2, over: 100), "°", in: 0...359.99)

  static let fluxDensity2D = ValueLayout(
    "magnetic flux density 2D", [.field("x", fluxDensity, "µT"), .field("y", fluxDensity, "µT")]
  )

  static let fluxDensity3D = ValueLayout(
    "magnetic flux density 3D",
    [
      .field("x", fluxDensity, "µT"), .field("y", fluxDensity, "µT"),
      .field("z", fluxDensity, "µT"),
    ]
  )

  static let pressureTrend = ValueLayout(
    bare: "trend",
    .named([
      "unknown", "continuously falling", "continuously rising", "falling, then steady",
      "rising, then steady", "falling before a lesser rise", "falling before a greater rise",
      "rising before a greater fall", "rising before a lesser fall", "steady",
    ])
  )

  /// 10⁻⁷ T.
  private static let fluxDensity = FieldFormat.signed(2, over: 10)
}
