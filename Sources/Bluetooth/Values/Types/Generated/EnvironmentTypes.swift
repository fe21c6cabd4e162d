// The types of the values of EnvironmentValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: magnetic flux density 2D.
public struct MagneticFluxDensity2D: Hashable, Sendable {
  /// `x`, in µT.
  public var x: Double
  /// `y`, in µT.
  public var y: Double

  /// A value with these fields.
  public init(
    x: Double,
    y: Double
  ) {
    self.x = x
    self.y = y
  }
}

extension MagneticFluxDensity2D: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    x = try fields.value("x")
    y = try fields.value("y")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("x", x),
      field("y", y),
    ]
  }
}

/// The fields of: magnetic flux density 3D.
public struct MagneticFluxDensity3D: Hashable, Sendable {
  /// `x`, in µT.
  public var x: Double
  /// `y`, in µT.
  public var y: Double
  /// `z`, in µT.
  public var z: Double

  /// A value with these fields.
  public init(
    x: Double,
    y: Double,
    z: Double
  ) {
    self.x = x
    self.y = y
    self.z = z
  }
}

extension MagneticFluxDensity3D: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    x = try fields.value("x")
    y = try fields.value("y")
    z = try fields.value("z")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("x", x),
      field("y", y),
      field("z", z),
    ]
  }
}

extension Characteristic where Value == Double {
  /// Elevation, in m.
  public static var elevation: Self { .standard(0x2a6c) }
}

extension Characteristic where Value == Double {
  /// Pressure, in Pa.
  public static var pressure: Self { .standard(0x2a6d) }
}

extension Characteristic where Value == Quantity<Double> {
  /// Temperature, in °C.
  public static var temperature: Self { .standard(0x2a6e) }
}

extension Characteristic where Value == Quantity<Double> {
  /// Humidity, in %.
  public static var humidity: Self { .standard(0x2a6f) }
}

extension Characteristic where Value == Int {
  /// Pollen Concentration, in 1/m³.
  public static var pollenConcentration: Self { .standard(0x2a75) }
}

extension Characteristic where Value == Int {
  /// UV Index.
  public static var uvIndex: Self { .standard(0x2a76) }
}

extension Characteristic where Value == Double {
  /// Irradiance, in W/m².
  public static var irradiance: Self { .standard(0x2a77) }
}

extension Characteristic where Value == Int {
  /// Rainfall, in mm.
  public static var rainfall: Self { .standard(0x2a78) }
}

extension Characteristic where Value == Int {
  /// Wind Chill, in °C.
  public static var windChill: Self { .standard(0x2a79) }
}

extension Characteristic where Value == Int {
  /// Heat Index, in °C.
  public static var heatIndex: Self { .standard(0x2a7a) }
}

extension Characteristic where Value == Int {
  /// Dew Point, in °C.
  public static var dewPoint: Self { .standard(0x2a7b) }
}

extension Characteristic where Value == Double {
  /// Magnetic Declination, in °.
  public static var magneticDeclination: Self { .standard(0x2a2c) }
}

extension Characteristic where Value == MagneticFluxDensity2D {
  /// Magnetic Flux Density - 2D.
  public static var magneticFluxDensity2D: Self { .standard(0x2aa0) }
}

extension Characteristic where Value == MagneticFluxDensity3D {
  /// Magnetic Flux Density - 3D.
  public static var magneticFluxDensity3D: Self { .standard(0x2aa1) }
}

extension Characteristic where Value == String {
  /// Barometric Pressure Trend.
  public static var barometricPressureTrend: Self { .standard(0x2aa3) }
}
