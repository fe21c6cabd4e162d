// The types of the values of RunningValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: RSC measurement.
public struct RSCMeasurement: Hashable, Sendable {
  /// `speed`, in m/s.
  public var speed: Double
  /// `cadence`, in 1/min.
  public var cadence: Int
  /// `stride`, in m; nil when it is not sent.
  public var stride: Double?
  /// `distance`, in m; nil when it is not sent.
  public var distance: Double?
  /// `running`.
  public var running: Bool

  /// A value with these fields.
  public init(
    speed: Double,
    cadence: Int,
    stride: Double? = nil,
    distance: Double? = nil,
    running: Bool = false
  ) {
    self.speed = speed
    self.cadence = cadence
    self.stride = stride
    self.distance = distance
    self.running = running
  }
}

extension RSCMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    speed = try fields.value("speed")
    cadence = try fields.value("cadence")
    stride = try fields.optional("stride")
    distance = try fields.optional("distance")
    running = try fields.value("running")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("speed", speed),
      field("cadence", cadence),
      field("stride", stride),
      field("distance", distance),
      field("running", running),
    ]
  }
}

/// The fields of: RSC feature.
public struct RSCFeature: Hashable, Sendable {
  /// `stride`.
  public var stride: Bool
  /// `distance`.
  public var distance: Bool
  /// `running`.
  public var running: Bool
  /// `calibration`.
  public var calibration: Bool
  /// `multiple-locations`.
  public var multipleLocations: Bool

  /// A value with these fields.
  public init(
    stride: Bool = false,
    distance: Bool = false,
    running: Bool = false,
    calibration: Bool = false,
    multipleLocations: Bool = false
  ) {
    self.stride = stride
    self.distance = distance
    self.running = running
    self.calibration = calibration
    self.multipleLocations = multipleLocations
  }
}

extension RSCFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    stride = try fields.value("stride")
    distance = try fields.value("distance")
    running = try fields.value("running")
    calibration = try fields.value("calibration")
    multipleLocations = try fields.value("multiple-locations")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("stride", stride),
      field("distance", distance),
      field("running", running),
      field("calibration", calibration),
      field("multiple-locations", multipleLocations),
    ]
  }
}

extension Characteristic where Value == RSCMeasurement {
  /// RSC Measurement.
  public static var rscMeasurement: Self { .standard(0x2a53) }
}

extension Characteristic where Value == RSCFeature {
  /// RSC Feature.
  public static var rscFeature: Self { .standard(0x2a54) }
}
