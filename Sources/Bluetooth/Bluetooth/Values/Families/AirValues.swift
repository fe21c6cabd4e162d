// Values of light and of the quality of air, of the Environmental Sensing service.

/// - Source: GATT Specification Supplement, "Illuminance", "CO2 Concentration", "VOC
///   Concentration", "Carbon Monoxide Concentration", "Non-Methane Volatile Organic Compounds
///   Concentration", "Particulate Matter - PM1 / PM2.5 / PM10 Concentration".
enum AirValues {
  static let all: [(short: UInt16, layout: ValueLayout)] = [
    (0x2afb, illuminance), (0x2b8c, carbonDioxide), (0x2be7, organicCompounds),
    (0x2bd0, density), (0x2bd3, density), (0x2bd5, density), (0x2bd6, density),
    (0x2bd7, density),
  ]

  static let illuminance = ValueLayout(
    "lux",
    .unsigned(3, over: 100, [0xff_ffff: "unknown"]),
    "lx"
  )

  static let carbonDioxide = ValueLayout("ppm", parts, "ppm")
  static let organicCompounds = ValueLayout("ppb", parts, "ppb")

  /// Sent in kg/m³, printed in µg/m³ first.
  static let density = ValueLayout(
    "concentration",
    [
      .field(
        "kilograms-per-cubic-metre", .sfloat, "kg/m³",
        shownAs: Conversion("micrograms-per-cubic-metre", "µg/m³", shift: -9) {
          $0 * 1_000_000_000
        }
      )
    ]
  )

  private static let parts = FieldFormat.unsigned(2, [0xfffe: "65534 or more", 0xffff: "unknown"])
}
