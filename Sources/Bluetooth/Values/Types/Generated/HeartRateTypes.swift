// The types of the values of HeartRateValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: heart rate measurement.
public struct HeartRateMeasurement: Hashable, Sendable {
  /// `bpm`, in bpm.
  public var bpm: Int
  /// `contact`; nil when it is not sent.
  public var contact: Bool?
  /// `energy-expended`, in kJ; nil when it is not sent.
  public var energyExpended: Int?
  /// `rr-intervals`, in s; nil when it is not sent.
  public var rrIntervals: [Double]?

  /// A value with these fields.
  public init(
    bpm: Int,
    contact: Bool? = nil,
    energyExpended: Int? = nil,
    rrIntervals: [Double]? = nil
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
      field("bpm", bpm),
      field("contact", contact),
      field("energy-expended", energyExpended),
      field("rr-intervals", rrIntervals),
    ]
  }
}

extension Characteristic where Value == HeartRateMeasurement {
  /// Heart Rate Measurement.
  public static var heartRateMeasurement: Self { .standard(0x2a37) }
}

extension Characteristic where Value == String {
  /// Body Sensor Location.
  public static var bodySensorLocation: Self { .standard(0x2a38) }
}

extension Characteristic where Value == String {
  /// Heart Rate Control Point.
  public static var heartRateControlPoint: Self { .standard(0x2a39) }
}
