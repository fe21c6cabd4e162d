// The types of the values of WeightValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: weight measurement.
public struct WeightMeasurement: Hashable, Sendable {
  /// `kilograms`, in kg.
  public var kilograms: Quantity<Double>
  /// `pounds`, in lb; nil when it is not sent.
  public var pounds: Quantity<Double>?
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `user`; nil when it is not sent.
  public var user: Quantity<Int>?
  /// `bmi`, in kg/m²; nil when it is not sent.
  public var bmi: Double?
  /// `metres`, in m; nil when it is not sent.
  public var metres: Double?
  /// `inches`, in in; nil when it is not sent.
  public var inches: Double?

  /// A value with these fields.
  public init(
    kilograms: Quantity<Double>,
    pounds: Quantity<Double>? = nil,
    timestamp: DateTime? = nil,
    user: Quantity<Int>? = nil,
    bmi: Double? = nil,
    metres: Double? = nil,
    inches: Double? = nil
  ) {
    self.kilograms = kilograms
    self.pounds = pounds
    self.timestamp = timestamp
    self.user = user
    self.bmi = bmi
    self.metres = metres
    self.inches = inches
  }
}

extension WeightMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    kilograms = try fields.value("kilograms")
    pounds = try fields.optional("pounds")
    timestamp = try fields.optional("timestamp")
    user = try fields.optional("user")
    bmi = try fields.optional("bmi")
    metres = try fields.optional("metres")
    inches = try fields.optional("inches")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("kilograms", kilograms),
      field("pounds", pounds),
      field("timestamp", timestamp),
      field("user", user),
      field("bmi", bmi),
      field("metres", metres),
      field("inches", inches),
    ]
  }
}

/// The fields of: weight scale feature.
public struct WeightScaleFeature: Hashable, Sendable {
  /// `timestamp`.
  public var timestamp: Bool
  /// `multiple-users`.
  public var multipleUsers: Bool
  /// `bmi`.
  public var bmi: Bool
  /// `weight-resolution`.
  public var weightResolution: String
  /// `height-resolution`.
  public var heightResolution: String

  /// A value with these fields.
  public init(
    timestamp: Bool = false,
    multipleUsers: Bool = false,
    bmi: Bool = false,
    weightResolution: String,
    heightResolution: String
  ) {
    self.timestamp = timestamp
    self.multipleUsers = multipleUsers
    self.bmi = bmi
    self.weightResolution = weightResolution
    self.heightResolution = heightResolution
  }
}

extension WeightScaleFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    timestamp = try fields.value("timestamp")
    multipleUsers = try fields.value("multiple-users")
    bmi = try fields.value("bmi")
    weightResolution = try fields.value("weight-resolution")
    heightResolution = try fields.value("height-resolution")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("timestamp", timestamp),
      field("multiple-users", multipleUsers),
      field("bmi", bmi),
      field("weight-resolution", weightResolution),
      field("height-resolution", heightResolution),
    ]
  }
}

extension Characteristic where Value == WeightMeasurement {
  /// Weight Measurement.
  public static var weightMeasurement: Self { .standard(0x2a9d) }
}

extension Characteristic where Value == WeightScaleFeature {
  /// Weight Scale Feature.
  public static var weightScaleFeature: Self { .standard(0x2a9e) }
}
