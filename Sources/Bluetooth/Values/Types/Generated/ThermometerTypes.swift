// The types of the values of ThermometerValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: temperature measurement.
public struct TemperatureMeasurement: Hashable, Sendable {
  /// `celsius`, in °C.
  public var celsius: Double
  /// `fahrenheit`, in °F; nil when it is not sent.
  public var fahrenheit: Double?
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `type`; nil when it is not sent.
  public var type: String?

  /// A value with these fields.
  public init(
    celsius: Double,
    fahrenheit: Double? = nil,
    timestamp: DateTime? = nil,
    type: String? = nil
  ) {
    self.celsius = celsius
    self.fahrenheit = fahrenheit
    self.timestamp = timestamp
    self.type = type
  }
}

extension TemperatureMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    celsius = try fields.value("celsius")
    fahrenheit = try fields.optional("fahrenheit")
    timestamp = try fields.optional("timestamp")
    type = try fields.optional("type")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("celsius", celsius),
      field("fahrenheit", fahrenheit),
      field("timestamp", timestamp),
      field("type", type),
    ]
  }
}

extension Characteristic where Value == TemperatureMeasurement {
  /// Temperature Measurement.
  public static var temperatureMeasurement: Self { .standard(0x2a1c) }
}

extension Characteristic where Value == String {
  /// Temperature Type.
  public static var temperatureType: Self { .standard(0x2a1d) }
}

extension Characteristic where Value == TemperatureMeasurement {
  /// Intermediate Temperature.
  public static var intermediateTemperature: Self { .standard(0x2a1e) }
}

extension Characteristic where Value == Int {
  /// Measurement Interval, in s.
  public static var measurementInterval: Self { .standard(0x2a21) }
}
