// The types of the values of BloodPressureValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: blood pressure measurement.
public struct BloodPressureMeasurement: Hashable, Sendable {
  /// `systolic`, in mmHg.
  public var systolic: Double
  /// `diastolic`, in mmHg.
  public var diastolic: Double
  /// `mean`, in mmHg.
  public var mean: Double
  /// `systolic-kilopascals`, in kPa; nil when it is not sent.
  public var systolicKilopascals: Double?
  /// `diastolic-kilopascals`, in kPa; nil when it is not sent.
  public var diastolicKilopascals: Double?
  /// `mean-kilopascals`, in kPa; nil when it is not sent.
  public var meanKilopascals: Double?
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `pulse`, in bpm; nil when it is not sent.
  public var pulse: Double?
  /// `user`; nil when it is not sent.
  public var user: Quantity<Int>?
  /// `movement`; nil when it is not sent.
  public var movement: Bool?
  /// `loose-cuff`; nil when it is not sent.
  public var looseCuff: Bool?
  /// `irregular-pulse`; nil when it is not sent.
  public var irregularPulse: Bool?
  /// `pulse-range`; nil when it is not sent.
  public var pulseRange: String?
  /// `improper-position`; nil when it is not sent.
  public var improperPosition: Bool?

  /// A value with these fields.
  public init(
    systolic: Double,
    diastolic: Double,
    mean: Double,
    systolicKilopascals: Double? = nil,
    diastolicKilopascals: Double? = nil,
    meanKilopascals: Double? = nil,
    timestamp: DateTime? = nil,
    pulse: Double? = nil,
    user: Quantity<Int>? = nil,
    movement: Bool? = nil,
    looseCuff: Bool? = nil,
    irregularPulse: Bool? = nil,
    pulseRange: String? = nil,
    improperPosition: Bool? = nil
  ) {
    self.systolic = systolic
    self.diastolic = diastolic
    self.mean = mean
    self.systolicKilopascals = systolicKilopascals
    self.diastolicKilopascals = diastolicKilopascals
    self.meanKilopascals = meanKilopascals
    self.timestamp = timestamp
    self.pulse = pulse
    self.user = user
    self.movement = movement
    self.looseCuff = looseCuff
    self.irregularPulse = irregularPulse
    self.pulseRange = pulseRange
    self.improperPosition = improperPosition
  }
}

extension BloodPressureMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    systolic = try fields.value("systolic")
    diastolic = try fields.value("diastolic")
    mean = try fields.value("mean")
    systolicKilopascals = try fields.optional("systolic-kilopascals")
    diastolicKilopascals = try fields.optional("diastolic-kilopascals")
    meanKilopascals = try fields.optional("mean-kilopascals")
    timestamp = try fields.optional("timestamp")
    pulse = try fields.optional("pulse")
    user = try fields.optional("user")
    movement = try fields.optional("movement")
    looseCuff = try fields.optional("loose-cuff")
    irregularPulse = try fields.optional("irregular-pulse")
    pulseRange = try fields.optional("pulse-range")
    improperPosition = try fields.optional("improper-position")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("systolic", systolic),
      field("diastolic", diastolic),
      field("mean", mean),
      field("systolic-kilopascals", systolicKilopascals),
      field("diastolic-kilopascals", diastolicKilopascals),
      field("mean-kilopascals", meanKilopascals),
      field("timestamp", timestamp),
      field("pulse", pulse),
      field("user", user),
      field("movement", movement),
      field("loose-cuff", looseCuff),
      field("irregular-pulse", irregularPulse),
      field("pulse-range", pulseRange),
      field("improper-position", improperPosition),
    ]
  }
}

/// The fields of: intermediate cuff pressure.
public struct IntermediateCuffPressure: Hashable, Sendable {
  /// `pressure`, in mmHg.
  public var pressure: Double
  /// `pressure-kilopascals`, in kPa; nil when it is not sent.
  public var pressureKilopascals: Double?
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `pulse`, in bpm; nil when it is not sent.
  public var pulse: Double?
  /// `user`; nil when it is not sent.
  public var user: Quantity<Int>?
  /// `movement`; nil when it is not sent.
  public var movement: Bool?
  /// `loose-cuff`; nil when it is not sent.
  public var looseCuff: Bool?
  /// `irregular-pulse`; nil when it is not sent.
  public var irregularPulse: Bool?
  /// `pulse-range`; nil when it is not sent.
  public var pulseRange: String?
  /// `improper-position`; nil when it is not sent.
  public var improperPosition: Bool?

  /// A value with these fields.
  public init(
    pressure: Double,
    pressureKilopascals: Double? = nil,
    timestamp: DateTime? = nil,
    pulse: Double? = nil,
    user: Quantity<Int>? = nil,
    movement: Bool? = nil,
    looseCuff: Bool? = nil,
    irregularPulse: Bool? = nil,
    pulseRange: String? = nil,
    improperPosition: Bool? = nil
  ) {
    self.pressure = pressure
    self.pressureKilopascals = pressureKilopascals
    self.timestamp = timestamp
    self.pulse = pulse
    self.user = user
    self.movement = movement
    self.looseCuff = looseCuff
    self.irregularPulse = irregularPulse
    self.pulseRange = pulseRange
    self.improperPosition = improperPosition
  }
}

extension IntermediateCuffPressure: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    pressure = try fields.value("pressure")
    pressureKilopascals = try fields.optional("pressure-kilopascals")
    timestamp = try fields.optional("timestamp")
    pulse = try fields.optional("pulse")
    user = try fields.optional("user")
    movement = try fields.optional("movement")
    looseCuff = try fields.optional("loose-cuff")
    irregularPulse = try fields.optional("irregular-pulse")
    pulseRange = try fields.optional("pulse-range")
    improperPosition = try fields.optional("improper-position")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("pressure", pressure),
      field("pressure-kilopascals", pressureKilopascals),
      field("timestamp", timestamp),
      field("pulse", pulse),
      field("user", user),
      field("movement", movement),
      field("loose-cuff", looseCuff),
      field("irregular-pulse", irregularPulse),
      field("pulse-range", pulseRange),
      field("improper-position", improperPosition),
    ]
  }
}

/// The fields of: blood pressure feature.
public struct BloodPressureFeature: Hashable, Sendable {
  /// `movement`.
  public var movement: Bool
  /// `loose-cuff`.
  public var looseCuff: Bool
  /// `irregular-pulse`.
  public var irregularPulse: Bool
  /// `pulse-range`.
  public var pulseRange: Bool
  /// `improper-position`.
  public var improperPosition: Bool
  /// `multiple-bonds`.
  public var multipleBonds: Bool
  /// `checksum`.
  public var checksum: Bool
  /// `user-data`.
  public var userData: Bool
  /// `user-facing-time`.
  public var userFacingTime: Bool

  /// A value with these fields.
  public init(
    movement: Bool = false,
    looseCuff: Bool = false,
    irregularPulse: Bool = false,
    pulseRange: Bool = false,
    improperPosition: Bool = false,
    multipleBonds: Bool = false,
    checksum: Bool = false,
    userData: Bool = false,
    userFacingTime: Bool = false
  ) {
    self.movement = movement
    self.looseCuff = looseCuff
    self.irregularPulse = irregularPulse
    self.pulseRange = pulseRange
    self.improperPosition = improperPosition
    self.multipleBonds = multipleBonds
    self.checksum = checksum
    self.userData = userData
    self.userFacingTime = userFacingTime
  }
}

extension BloodPressureFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    movement = try fields.value("movement")
    looseCuff = try fields.value("loose-cuff")
    irregularPulse = try fields.value("irregular-pulse")
    pulseRange = try fields.value("pulse-range")
    improperPosition = try fields.value("improper-position")
    multipleBonds = try fields.value("multiple-bonds")
    checksum = try fields.value("checksum")
    userData = try fields.value("user-data")
    userFacingTime = try fields.value("user-facing-time")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("movement", movement),
      field("loose-cuff", looseCuff),
      field("irregular-pulse", irregularPulse),
      field("pulse-range", pulseRange),
      field("improper-position", improperPosition),
      field("multiple-bonds", multipleBonds),
      field("checksum", checksum),
      field("user-data", userData),
      field("user-facing-time", userFacingTime),
    ]
  }
}

extension Characteristic where Value == BloodPressureMeasurement {
  /// Blood Pressure Measurement.
  public static var bloodPressureMeasurement: Self { .standard(0x2a35) }
}

extension Characteristic where Value == IntermediateCuffPressure {
  /// Intermediate Cuff Pressure.
  public static var intermediateCuffPressure: Self { .standard(0x2a36) }
}

extension Characteristic where Value == BloodPressureFeature {
  /// Blood Pressure Feature.
  public static var bloodPressureFeature: Self { .standard(0x2a49) }
}
