// Characteristics of the Bluetooth SIG that have a Swift type.
//
// The few that programs begin with. Every other standard characteristic decodes to a `DecodedValue`.

extension Characteristic where Value == Int {
  /// Battery Level, in %.
  public static var batteryLevel: Self { .standard(0x2a19) }
}

extension Characteristic where Value == Quantity<Double> {
  /// Humidity, in %.
  public static var humidity: Self { .standard(0x2a6f) }
}

extension Characteristic where Value == String {
  /// Alert Level: `no alert`, `mild alert`, `high alert`.
  public static var alertLevel: Self { .standard(0x2a06) }
  /// Body Sensor Location: `chest`, `wrist`.
  public static var bodySensorLocation: Self { .standard(0x2a38) }
  /// Manufacturer Name String.
  public static var manufacturerNameString: Self { .standard(0x2a29) }
}

extension Characteristic where Value == HeartRateMeasurement {
  /// Heart Rate Measurement.
  public static var heartRateMeasurement: Self { .standard(0x2a37) }
}

extension Characteristic where Value == TemperatureMeasurement {
  /// Temperature Measurement.
  public static var temperatureMeasurement: Self { .standard(0x2a1c) }
}

/// A value of Heart Rate Measurement.
public struct HeartRateMeasurement: Hashable, Sendable {
  /// Beats a minute.
  public var bpm: Int
  /// Whether the sensor touches the skin; nil when it cannot know.
  public var contact: Bool?
  /// The energy in kJ; nil when it is not sent.
  public var energyExpended: Int?
  /// The times between beats, in s; nil when they are not sent.
  public var rrIntervals: [Double]?

  /// A value with these fields.
  public init(
    bpm: Int, contact: Bool? = nil, energyExpended: Int? = nil, rrIntervals: [Double]? = nil
  ) {
    self.bpm = bpm
    self.contact = contact
    self.energyExpended = energyExpended
    self.rrIntervals = rrIntervals
  }
}

extension HeartRateMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    bpm = try fields.value("bpm")
    contact = try fields.optional("contact")
    energyExpended = try fields.optional("energy-expended")
    rrIntervals = try fields.optional("rr-intervals")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("bpm", bpm), field("contact", contact), field("energy-expended", energyExpended),
      field("rr-intervals", rrIntervals),
    ]
  }
}

/// A value of Temperature Measurement.
public struct TemperatureMeasurement: Hashable, Sendable {
  /// The temperature in °C, converted where the device sends °F; NaN for what it sends in
  /// place of a number.
  public var celsius: Double
  /// The temperature in °F; nil when it is sent in °C.
  public var fahrenheit: Double?
  /// The time of the measurement; nil when it is not sent.
  public var timestamp: DateTime?
  /// The place of the measurement: `armpit`, `ear`; nil when it is not sent.
  public var type: String?

  /// A value with these fields.
  public init(
    celsius: Double, fahrenheit: Double? = nil, timestamp: DateTime? = nil, type: String? = nil
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
      field("celsius", celsius), field("fahrenheit", fahrenheit), field("timestamp", timestamp),
      field("type", type),
    ]
  }
}
