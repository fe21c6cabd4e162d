// The types of the values of CyclingValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: CSC measurement.
public struct CSCMeasurement: Hashable, Sendable {
  /// `wheel-revolutions`; nil when it is not sent.
  public var wheelRevolutions: Int?
  /// `wheel-time`, in s; nil when it is not sent.
  public var wheelTime: Double?
  /// `crank-revolutions`; nil when it is not sent.
  public var crankRevolutions: Int?
  /// `crank-time`, in s; nil when it is not sent.
  public var crankTime: Double?

  /// A value with these fields.
  public init(
    wheelRevolutions: Int? = nil,
    wheelTime: Double? = nil,
    crankRevolutions: Int? = nil,
    crankTime: Double? = nil
  ) {
    self.wheelRevolutions = wheelRevolutions
    self.wheelTime = wheelTime
    self.crankRevolutions = crankRevolutions
    self.crankTime = crankTime
  }
}

extension CSCMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    wheelRevolutions = try fields.optional("wheel-revolutions")
    wheelTime = try fields.optional("wheel-time")
    crankRevolutions = try fields.optional("crank-revolutions")
    crankTime = try fields.optional("crank-time")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("wheel-revolutions", wheelRevolutions),
      field("wheel-time", wheelTime),
      field("crank-revolutions", crankRevolutions),
      field("crank-time", crankTime),
    ]
  }
}

/// The fields of: CSC feature.
public struct CSCFeature: Hashable, Sendable {
  /// `wheel-revolutions`.
  public var wheelRevolutions: Bool
  /// `crank-revolutions`.
  public var crankRevolutions: Bool
  /// `multiple-locations`.
  public var multipleLocations: Bool

  /// A value with these fields.
  public init(
    wheelRevolutions: Bool = false,
    crankRevolutions: Bool = false,
    multipleLocations: Bool = false
  ) {
    self.wheelRevolutions = wheelRevolutions
    self.crankRevolutions = crankRevolutions
    self.multipleLocations = multipleLocations
  }
}

extension CSCFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    wheelRevolutions = try fields.value("wheel-revolutions")
    crankRevolutions = try fields.value("crank-revolutions")
    multipleLocations = try fields.value("multiple-locations")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("wheel-revolutions", wheelRevolutions),
      field("crank-revolutions", crankRevolutions),
      field("multiple-locations", multipleLocations),
    ]
  }
}

/// The fields of: SC control point.
public struct SCControlPoint: Hashable, Sendable {
  /// `command`.
  public var command: String
  /// `revolutions`; nil when it is not sent.
  public var revolutions: Int?
  /// `location`; nil when it is not sent.
  public var location: String?
  /// `request`; nil when it is not sent.
  public var request: String?
  /// `result`; nil when it is not sent.
  public var result: String?
  /// `locations`; nil when it is not sent.
  public var locations: [String]?
  /// `parameter`; nil when it is not sent.
  public var parameter: [UInt8]?

  /// A value with these fields.
  public init(
    command: String,
    revolutions: Int? = nil,
    location: String? = nil,
    request: String? = nil,
    result: String? = nil,
    locations: [String]? = nil,
    parameter: [UInt8]? = nil
  ) {
    self.command = command
    self.revolutions = revolutions
    self.location = location
    self.request = request
    self.result = result
    self.locations = locations
    self.parameter = parameter
  }
}

extension SCControlPoint: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    command = try fields.value("command")
    revolutions = try fields.optional("revolutions")
    location = try fields.optional("location")
    request = try fields.optional("request")
    result = try fields.optional("result")
    locations = try fields.optional("locations")
    parameter = try fields.optional("parameter")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("command", command),
      field("revolutions", revolutions),
      field("location", location),
      field("request", request),
      field("result", result),
      field("locations", locations),
      field("parameter", parameter),
    ]
  }
}

extension Characteristic where Value == CSCMeasurement {
  /// CSC Measurement.
  public static var cscMeasurement: Self { .standard(0x2a5b) }
}

extension Characteristic where Value == CSCFeature {
  /// CSC Feature.
  public static var cscFeature: Self { .standard(0x2a5c) }
}

extension Characteristic where Value == String {
  /// Sensor Location.
  public static var sensorLocation: Self { .standard(0x2a5d) }
}

extension Characteristic where Value == SCControlPoint {
  /// SC Control Point.
  public static var scControlPoint: Self { .standard(0x2a55) }
}
