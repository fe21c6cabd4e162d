// The types of the values of CyclingPowerValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: cycling power measurement.
public struct CyclingPowerMeasurement: Hashable, Sendable {
  /// `power`, in W.
  public var power: Int
  /// `balance`, in %; nil when it is not sent.
  public var balance: Double?
  /// `balance-reference`.
  public var balanceReference: String
  /// `torque`, in N·m; nil when it is not sent.
  public var torque: Double?
  /// `torque-source`.
  public var torqueSource: String
  /// `wheel-revolutions`; nil when it is not sent.
  public var wheelRevolutions: Int?
  /// `wheel-time`, in s; nil when it is not sent.
  public var wheelTime: Double?
  /// `crank-revolutions`; nil when it is not sent.
  public var crankRevolutions: Int?
  /// `crank-time`, in s; nil when it is not sent.
  public var crankTime: Double?
  /// `greatest-force`, in N; nil when it is not sent.
  public var greatestForce: Int?
  /// `least-force`, in N; nil when it is not sent.
  public var leastForce: Int?
  /// `greatest-torque`, in N·m; nil when it is not sent.
  public var greatestTorque: Double?
  /// `least-torque`, in N·m; nil when it is not sent.
  public var leastTorque: Double?
  /// `greatest-angle`, in °; nil when it is not sent.
  public var greatestAngle: Int?
  /// `least-angle`, in °; nil when it is not sent.
  public var leastAngle: Int?
  /// `top-dead-spot`, in °; nil when it is not sent.
  public var topDeadSpot: Int?
  /// `bottom-dead-spot`, in °; nil when it is not sent.
  public var bottomDeadSpot: Int?
  /// `energy`, in kJ; nil when it is not sent.
  public var energy: Int?
  /// `offset-compensation`.
  public var offsetCompensation: Bool

  /// A value with these fields.
  public init(
    power: Int,
    balance: Double? = nil,
    balanceReference: String,
    torque: Double? = nil,
    torqueSource: String,
    wheelRevolutions: Int? = nil,
    wheelTime: Double? = nil,
    crankRevolutions: Int? = nil,
    crankTime: Double? = nil,
    greatestForce: Int? = nil,
    leastForce: Int? = nil,
    greatestTorque: Double? = nil,
    leastTorque: Double? = nil,
    greatestAngle: Int? = nil,
    leastAngle: Int? = nil,
    topDeadSpot: Int? = nil,
    bottomDeadSpot: Int? = nil,
    energy: Int? = nil,
    offsetCompensation: Bool = false
  ) {
    self.power = power
    self.balance = balance
    self.balanceReference = balanceReference
    self.torque = torque
    self.torqueSource = torqueSource
    self.wheelRevolutions = wheelRevolutions
    self.wheelTime = wheelTime
    self.crankRevolutions = crankRevolutions
    self.crankTime = crankTime
    self.greatestForce = greatestForce
    self.leastForce = leastForce
    self.greatestTorque = greatestTorque
    self.leastTorque = leastTorque
    self.greatestAngle = greatestAngle
    self.leastAngle = leastAngle
    self.topDeadSpot = topDeadSpot
    self.bottomDeadSpot = bottomDeadSpot
    self.energy = energy
    self.offsetCompensation = offsetCompensation
  }
}

extension CyclingPowerMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    power = try fields.value("power")
    balance = try fields.optional("balance")
    balanceReference = try fields.value("balance-reference")
    torque = try fields.optional("torque")
    torqueSource = try fields.value("torque-source")
    wheelRevolutions = try fields.optional("wheel-revolutions")
    wheelTime = try fields.optional("wheel-time")
    crankRevolutions = try fields.optional("crank-revolutions")
    crankTime = try fields.optional("crank-time")
    greatestForce = try fields.optional("greatest-force")
    leastForce = try fields.optional("least-force")
    greatestTorque = try fields.optional("greatest-torque")
    leastTorque = try fields.optional("least-torque")
    greatestAngle = try fields.optional("greatest-angle")
    leastAngle = try fields.optional("least-angle")
    topDeadSpot = try fields.optional("top-dead-spot")
    bottomDeadSpot = try fields.optional("bottom-dead-spot")
    energy = try fields.optional("energy")
    offsetCompensation = try fields.value("offset-compensation")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("power", power),
      field("balance", balance),
      field("balance-reference", balanceReference),
      field("torque", torque),
      field("torque-source", torqueSource),
      field("wheel-revolutions", wheelRevolutions),
      field("wheel-time", wheelTime),
      field("crank-revolutions", crankRevolutions),
      field("crank-time", crankTime),
      field("greatest-force", greatestForce),
      field("least-force", leastForce),
      field("greatest-torque", greatestTorque),
      field("least-torque", leastTorque),
      field("greatest-angle", greatestAngle),
      field("least-angle", leastAngle),
      field("top-dead-spot", topDeadSpot),
      field("bottom-dead-spot", bottomDeadSpot),
      field("energy", energy),
      field("offset-compensation", offsetCompensation),
    ]
  }
}

/// The fields of: cycling power vector.
public struct CyclingPowerVector: Hashable, Sendable {
  /// `crank-revolutions`; nil when it is not sent.
  public var crankRevolutions: Int?
  /// `crank-time`, in s; nil when it is not sent.
  public var crankTime: Double?
  /// `first-angle`, in °; nil when it is not sent.
  public var firstAngle: Int?
  /// `forces`, in N; nil when it is not sent.
  public var forces: [Int]?
  /// `torques`, in N·m; nil when it is not sent.
  public var torques: [Double]?
  /// `direction`.
  public var direction: String

  /// A value with these fields.
  public init(
    crankRevolutions: Int? = nil,
    crankTime: Double? = nil,
    firstAngle: Int? = nil,
    forces: [Int]? = nil,
    torques: [Double]? = nil,
    direction: String
  ) {
    self.crankRevolutions = crankRevolutions
    self.crankTime = crankTime
    self.firstAngle = firstAngle
    self.forces = forces
    self.torques = torques
    self.direction = direction
  }
}

extension CyclingPowerVector: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    crankRevolutions = try fields.optional("crank-revolutions")
    crankTime = try fields.optional("crank-time")
    firstAngle = try fields.optional("first-angle")
    forces = try fields.optional("forces")
    torques = try fields.optional("torques")
    direction = try fields.value("direction")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("crank-revolutions", crankRevolutions),
      field("crank-time", crankTime),
      field("first-angle", firstAngle),
      field("forces", forces),
      field("torques", torques),
      field("direction", direction),
    ]
  }
}

/// The fields of: cycling power feature.
public struct CyclingPowerFeature: Hashable, Sendable {
  /// `balance`.
  public var balance: Bool
  /// `torque`.
  public var torque: Bool
  /// `wheel-revolutions`.
  public var wheelRevolutions: Bool
  /// `crank-revolutions`.
  public var crankRevolutions: Bool
  /// `extreme-magnitudes`.
  public var extremeMagnitudes: Bool
  /// `extreme-angles`.
  public var extremeAngles: Bool
  /// `dead-spots`.
  public var deadSpots: Bool
  /// `energy`.
  public var energy: Bool
  /// `offset-compensation-indicator`.
  public var offsetCompensationIndicator: Bool
  /// `offset-compensation`.
  public var offsetCompensation: Bool
  /// `content-masking`.
  public var contentMasking: Bool
  /// `multiple-locations`.
  public var multipleLocations: Bool
  /// `crank-length`.
  public var crankLength: Bool
  /// `chain-length`.
  public var chainLength: Bool
  /// `chain-weight`.
  public var chainWeight: Bool
  /// `span-length`.
  public var spanLength: Bool
  /// `context`.
  public var context: String
  /// `direction`.
  public var direction: Bool
  /// `factory-calibration-date`.
  public var factoryCalibrationDate: Bool
  /// `enhanced-offset-compensation`.
  public var enhancedOffsetCompensation: Bool
  /// `distributed-system`.
  public var distributedSystem: String

  /// A value with these fields.
  public init(
    balance: Bool = false,
    torque: Bool = false,
    wheelRevolutions: Bool = false,
    crankRevolutions: Bool = false,
    extremeMagnitudes: Bool = false,
    extremeAngles: Bool = false,
    deadSpots: Bool = false,
    energy: Bool = false,
    offsetCompensationIndicator: Bool = false,
    offsetCompensation: Bool = false,
    contentMasking: Bool = false,
    multipleLocations: Bool = false,
    crankLength: Bool = false,
    chainLength: Bool = false,
    chainWeight: Bool = false,
    spanLength: Bool = false,
    context: String,
    direction: Bool = false,
    factoryCalibrationDate: Bool = false,
    enhancedOffsetCompensation: Bool = false,
    distributedSystem: String
  ) {
    self.balance = balance
    self.torque = torque
    self.wheelRevolutions = wheelRevolutions
    self.crankRevolutions = crankRevolutions
    self.extremeMagnitudes = extremeMagnitudes
    self.extremeAngles = extremeAngles
    self.deadSpots = deadSpots
    self.energy = energy
    self.offsetCompensationIndicator = offsetCompensationIndicator
    self.offsetCompensation = offsetCompensation
    self.contentMasking = contentMasking
    self.multipleLocations = multipleLocations
    self.crankLength = crankLength
    self.chainLength = chainLength
    self.chainWeight = chainWeight
    self.spanLength = spanLength
    self.context = context
    self.direction = direction
    self.factoryCalibrationDate = factoryCalibrationDate
    self.enhancedOffsetCompensation = enhancedOffsetCompensation
    self.distributedSystem = distributedSystem
  }
}

extension CyclingPowerFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    balance = try fields.value("balance")
    torque = try fields.value("torque")
    wheelRevolutions = try fields.value("wheel-revolutions")
    crankRevolutions = try fields.value("crank-revolutions")
    extremeMagnitudes = try fields.value("extreme-magnitudes")
    extremeAngles = try fields.value("extreme-angles")
    deadSpots = try fields.value("dead-spots")
    energy = try fields.value("energy")
    offsetCompensationIndicator = try fields.value("offset-compensation-indicator")
    offsetCompensation = try fields.value("offset-compensation")
    contentMasking = try fields.value("content-masking")
    multipleLocations = try fields.value("multiple-locations")
    crankLength = try fields.value("crank-length")
    chainLength = try fields.value("chain-length")
    chainWeight = try fields.value("chain-weight")
    spanLength = try fields.value("span-length")
    context = try fields.value("context")
    direction = try fields.value("direction")
    factoryCalibrationDate = try fields.value("factory-calibration-date")
    enhancedOffsetCompensation = try fields.value("enhanced-offset-compensation")
    distributedSystem = try fields.value("distributed-system")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("balance", balance),
      field("torque", torque),
      field("wheel-revolutions", wheelRevolutions),
      field("crank-revolutions", crankRevolutions),
      field("extreme-magnitudes", extremeMagnitudes),
      field("extreme-angles", extremeAngles),
      field("dead-spots", deadSpots),
      field("energy", energy),
      field("offset-compensation-indicator", offsetCompensationIndicator),
      field("offset-compensation", offsetCompensation),
      field("content-masking", contentMasking),
      field("multiple-locations", multipleLocations),
      field("crank-length", crankLength),
      field("chain-length", chainLength),
      field("chain-weight", chainWeight),
      field("span-length", spanLength),
      field("context", context),
      field("direction", direction),
      field("factory-calibration-date", factoryCalibrationDate),
      field("enhanced-offset-compensation", enhancedOffsetCompensation),
      field("distributed-system", distributedSystem),
    ]
  }
}

extension Characteristic where Value == CyclingPowerMeasurement {
  /// Cycling Power Measurement.
  public static var cyclingPowerMeasurement: Self { .standard(0x2a63) }
}

extension Characteristic where Value == CyclingPowerVector {
  /// Cycling Power Vector.
  public static var cyclingPowerVector: Self { .standard(0x2a64) }
}

extension Characteristic where Value == CyclingPowerFeature {
  /// Cycling Power Feature.
  public static var cyclingPowerFeature: Self { .standard(0x2a65) }
}
