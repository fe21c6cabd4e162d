// The types of the values of AirValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: concentration.
public struct Concentration: Hashable, Sendable {
  /// `micrograms-per-cubic-metre`, in µg/m³.
  public var microgramsPerCubicMetre: Double
  /// `kilograms-per-cubic-metre`, in kg/m³.
  public var kilogramsPerCubicMetre: Double

  /// A value with these fields.
  public init(
    microgramsPerCubicMetre: Double,
    kilogramsPerCubicMetre: Double
  ) {
    self.microgramsPerCubicMetre = microgramsPerCubicMetre
    self.kilogramsPerCubicMetre = kilogramsPerCubicMetre
  }
}

extension Concentration: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    microgramsPerCubicMetre = try fields.value("micrograms-per-cubic-metre")
    kilogramsPerCubicMetre = try fields.value("kilograms-per-cubic-metre")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("micrograms-per-cubic-metre", microgramsPerCubicMetre),
      field("kilograms-per-cubic-metre", kilogramsPerCubicMetre),
    ]
  }
}

extension Characteristic where Value == Quantity<Double> {
  /// Illuminance, in lx.
  public static var illuminance: Self { .standard(0x2afb) }
}

extension Characteristic where Value == Quantity<Int> {
  /// CO2 Concentration, in ppm.
  public static var co2Concentration: Self { .standard(0x2b8c) }
}

extension Characteristic where Value == Quantity<Int> {
  /// VOC Concentration, in ppb.
  public static var vocConcentration: Self { .standard(0x2be7) }
}

extension Characteristic where Value == Concentration {
  /// Carbon Monoxide Concentration.
  public static var carbonMonoxideConcentration: Self { .standard(0x2bd0) }
}

extension Characteristic where Value == Concentration {
  /// Non-Methane Volatile Organic Compounds Concentration.
  public static var nonMethaneVolatileOrganicCompoundsConcentration: Self { .standard(0x2bd3) }
}

extension Characteristic where Value == Concentration {
  /// Particulate Matter - PM1 Concentration.
  public static var particulateMatterPM1Concentration: Self { .standard(0x2bd5) }
}

extension Characteristic where Value == Concentration {
  /// Particulate Matter - PM2.5 Concentration.
  public static var particulateMatterPM25Concentration: Self { .standard(0x2bd6) }
}

extension Characteristic where Value == Concentration {
  /// Particulate Matter - PM10 Concentration.
  public static var particulateMatterPM10Concentration: Self { .standard(0x2bd7) }
}
