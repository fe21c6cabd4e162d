// The types of the values of OximeterValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: PLX spot-check measurement.
public struct PLXSpotCheckMeasurement: Hashable, Sendable {
  /// `spo2`, in %.
  public var spo2: Double
  /// `pulse`, in bpm.
  public var pulse: Double
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `status`; nil when it is not sent.
  public var status: [String]?
  /// `sensor-status`; nil when it is not sent.
  public var sensorStatus: [String]?
  /// `amplitude`, in %; nil when it is not sent.
  public var amplitude: Double?
  /// `clock-not-set`.
  public var clockNotSet: Bool

  /// A value with these fields.
  public init(
    spo2: Double,
    pulse: Double,
    timestamp: DateTime? = nil,
    status: [String]? = nil,
    sensorStatus: [String]? = nil,
    amplitude: Double? = nil,
    clockNotSet: Bool = false
  ) {
    self.spo2 = spo2
    self.pulse = pulse
    self.timestamp = timestamp
    self.status = status
    self.sensorStatus = sensorStatus
    self.amplitude = amplitude
    self.clockNotSet = clockNotSet
  }
}

extension PLXSpotCheckMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    spo2 = try fields.value("spo2")
    pulse = try fields.value("pulse")
    timestamp = try fields.optional("timestamp")
    status = try fields.optional("status")
    sensorStatus = try fields.optional("sensor-status")
    amplitude = try fields.optional("amplitude")
    clockNotSet = try fields.value("clock-not-set")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("spo2", spo2),
      field("pulse", pulse),
      field("timestamp", timestamp),
      field("status", status),
      field("sensor-status", sensorStatus),
      field("amplitude", amplitude),
      field("clock-not-set", clockNotSet),
    ]
  }
}

/// The fields of: PLX continuous measurement.
public struct PLXContinuousMeasurement: Hashable, Sendable {
  /// `spo2`, in %.
  public var spo2: Double
  /// `pulse`, in bpm.
  public var pulse: Double
  /// `fast-spo2`, in %; nil when it is not sent.
  public var fastSpo2: Double?
  /// `fast-pulse`, in bpm; nil when it is not sent.
  public var fastPulse: Double?
  /// `slow-spo2`, in %; nil when it is not sent.
  public var slowSpo2: Double?
  /// `slow-pulse`, in bpm; nil when it is not sent.
  public var slowPulse: Double?
  /// `status`; nil when it is not sent.
  public var status: [String]?
  /// `sensor-status`; nil when it is not sent.
  public var sensorStatus: [String]?
  /// `amplitude`, in %; nil when it is not sent.
  public var amplitude: Double?

  /// A value with these fields.
  public init(
    spo2: Double,
    pulse: Double,
    fastSpo2: Double? = nil,
    fastPulse: Double? = nil,
    slowSpo2: Double? = nil,
    slowPulse: Double? = nil,
    status: [String]? = nil,
    sensorStatus: [String]? = nil,
    amplitude: Double? = nil
  ) {
    self.spo2 = spo2
    self.pulse = pulse
    self.fastSpo2 = fastSpo2
    self.fastPulse = fastPulse
    self.slowSpo2 = slowSpo2
    self.slowPulse = slowPulse
    self.status = status
    self.sensorStatus = sensorStatus
    self.amplitude = amplitude
  }
}

extension PLXContinuousMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    spo2 = try fields.value("spo2")
    pulse = try fields.value("pulse")
    fastSpo2 = try fields.optional("fast-spo2")
    fastPulse = try fields.optional("fast-pulse")
    slowSpo2 = try fields.optional("slow-spo2")
    slowPulse = try fields.optional("slow-pulse")
    status = try fields.optional("status")
    sensorStatus = try fields.optional("sensor-status")
    amplitude = try fields.optional("amplitude")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("spo2", spo2),
      field("pulse", pulse),
      field("fast-spo2", fastSpo2),
      field("fast-pulse", fastPulse),
      field("slow-spo2", slowSpo2),
      field("slow-pulse", slowPulse),
      field("status", status),
      field("sensor-status", sensorStatus),
      field("amplitude", amplitude),
    ]
  }
}

/// The fields of: PLX features.
public struct PLXFeatures: Hashable, Sendable {
  /// `status`.
  public var status: Bool
  /// `sensor-status`.
  public var sensorStatus: Bool
  /// `storage`.
  public var storage: Bool
  /// `timestamp`.
  public var timestamp: Bool
  /// `fast`.
  public var fast: Bool
  /// `slow`.
  public var slow: Bool
  /// `amplitude`.
  public var amplitude: Bool
  /// `multiple-bonds`.
  public var multipleBonds: Bool
  /// `statuses`; nil when it is not sent.
  public var statuses: [String]?
  /// `sensor-statuses`; nil when it is not sent.
  public var sensorStatuses: [String]?

  /// A value with these fields.
  public init(
    status: Bool = false,
    sensorStatus: Bool = false,
    storage: Bool = false,
    timestamp: Bool = false,
    fast: Bool = false,
    slow: Bool = false,
    amplitude: Bool = false,
    multipleBonds: Bool = false,
    statuses: [String]? = nil,
    sensorStatuses: [String]? = nil
  ) {
    self.status = status
    self.sensorStatus = sensorStatus
    self.storage = storage
    self.timestamp = timestamp
    self.fast = fast
    self.slow = slow
    self.amplitude = amplitude
    self.multipleBonds = multipleBonds
    self.statuses = statuses
    self.sensorStatuses = sensorStatuses
  }
}

extension PLXFeatures: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    status = try fields.value("status")
    sensorStatus = try fields.value("sensor-status")
    storage = try fields.value("storage")
    timestamp = try fields.value("timestamp")
    fast = try fields.value("fast")
    slow = try fields.value("slow")
    amplitude = try fields.value("amplitude")
    multipleBonds = try fields.value("multiple-bonds")
    statuses = try fields.optional("statuses")
    sensorStatuses = try fields.optional("sensor-statuses")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("status", status),
      field("sensor-status", sensorStatus),
      field("storage", storage),
      field("timestamp", timestamp),
      field("fast", fast),
      field("slow", slow),
      field("amplitude", amplitude),
      field("multiple-bonds", multipleBonds),
      field("statuses", statuses),
      field("sensor-statuses", sensorStatuses),
    ]
  }
}

extension Characteristic where Value == PLXSpotCheckMeasurement {
  /// PLX Spot-Check Measurement.
  public static var plxSpotCheckMeasurement: Self { .standard(0x2a5e) }
}

extension Characteristic where Value == PLXContinuousMeasurement {
  /// PLX Continuous Measurement.
  public static var plxContinuousMeasurement: Self { .standard(0x2a5f) }
}

extension Characteristic where Value == PLXFeatures {
  /// PLX Features.
  public static var plxFeatures: Self { .standard(0x2a60) }
}
