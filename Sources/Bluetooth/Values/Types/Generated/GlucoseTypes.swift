// The types of the values of GlucoseValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: glucose measurement.
public struct GlucoseMeasurement: Hashable, Sendable {
  /// `sequence`.
  public var sequence: Int
  /// `time`.
  public var time: DateTime
  /// `offset`, in min; nil when it is not sent.
  public var offset: Quantity<Int>?
  /// `milligrams-per-decilitre`, in mg/dL; nil when it is not sent.
  public var milligramsPerDecilitre: Double?
  /// `kilograms-per-litre`, in kg/L; nil when it is not sent.
  public var kilogramsPerLitre: Double?
  /// `millimoles-per-litre`, in mmol/L; nil when it is not sent.
  public var millimolesPerLitre: Double?
  /// `moles-per-litre`, in mol/L; nil when it is not sent.
  public var molesPerLitre: Double?
  /// `type`; nil when it is not sent.
  public var type: String?
  /// `location`; nil when it is not sent.
  public var location: String?
  /// `status`; nil when it is not sent.
  public var status: [String]?
  /// `context-follows`.
  public var contextFollows: Bool

  /// A value with these fields.
  public init(
    sequence: Int,
    time: DateTime,
    offset: Quantity<Int>? = nil,
    milligramsPerDecilitre: Double? = nil,
    kilogramsPerLitre: Double? = nil,
    millimolesPerLitre: Double? = nil,
    molesPerLitre: Double? = nil,
    type: String? = nil,
    location: String? = nil,
    status: [String]? = nil,
    contextFollows: Bool = false
  ) {
    self.sequence = sequence
    self.time = time
    self.offset = offset
    self.milligramsPerDecilitre = milligramsPerDecilitre
    self.kilogramsPerLitre = kilogramsPerLitre
    self.millimolesPerLitre = millimolesPerLitre
    self.molesPerLitre = molesPerLitre
    self.type = type
    self.location = location
    self.status = status
    self.contextFollows = contextFollows
  }
}

extension GlucoseMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    sequence = try fields.value("sequence")
    time = try fields.value("time")
    offset = try fields.optional("offset")
    milligramsPerDecilitre = try fields.optional("milligrams-per-decilitre")
    kilogramsPerLitre = try fields.optional("kilograms-per-litre")
    millimolesPerLitre = try fields.optional("millimoles-per-litre")
    molesPerLitre = try fields.optional("moles-per-litre")
    type = try fields.optional("type")
    location = try fields.optional("location")
    status = try fields.optional("status")
    contextFollows = try fields.value("context-follows")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("sequence", sequence),
      field("time", time),
      field("offset", offset),
      field("milligrams-per-decilitre", milligramsPerDecilitre),
      field("kilograms-per-litre", kilogramsPerLitre),
      field("millimoles-per-litre", millimolesPerLitre),
      field("moles-per-litre", molesPerLitre),
      field("type", type),
      field("location", location),
      field("status", status),
      field("context-follows", contextFollows),
    ]
  }
}

/// The fields of: glucose measurement context.
public struct GlucoseMeasurementContext: Hashable, Sendable {
  /// `sequence`.
  public var sequence: Int
  /// `extended-flags`; nil when it is not sent.
  public var extendedFlags: [UInt8]?
  /// `carbohydrate`; nil when it is not sent.
  public var carbohydrate: String?
  /// `carbohydrate-grams`, in g; nil when it is not sent.
  public var carbohydrateGrams: Double?
  /// `carbohydrate-kilograms`, in kg; nil when it is not sent.
  public var carbohydrateKilograms: Double?
  /// `meal`; nil when it is not sent.
  public var meal: String?
  /// `tester`; nil when it is not sent.
  public var tester: String?
  /// `health`; nil when it is not sent.
  public var health: String?
  /// `exercise-duration`, in s; nil when it is not sent.
  public var exerciseDuration: Quantity<Int>?
  /// `exercise-intensity`, in %; nil when it is not sent.
  public var exerciseIntensity: Int?
  /// `medication`; nil when it is not sent.
  public var medication: String?
  /// `medication-milligrams`, in mg; nil when it is not sent.
  public var medicationMilligrams: Double?
  /// `medication-kilograms`, in kg; nil when it is not sent.
  public var medicationKilograms: Double?
  /// `medication-millilitres`, in mL; nil when it is not sent.
  public var medicationMillilitres: Double?
  /// `medication-litres`, in L; nil when it is not sent.
  public var medicationLitres: Double?
  /// `hba1c`, in %; nil when it is not sent.
  public var hba1c: Double?

  /// A value with these fields.
  public init(
    sequence: Int,
    extendedFlags: [UInt8]? = nil,
    carbohydrate: String? = nil,
    carbohydrateGrams: Double? = nil,
    carbohydrateKilograms: Double? = nil,
    meal: String? = nil,
    tester: String? = nil,
    health: String? = nil,
    exerciseDuration: Quantity<Int>? = nil,
    exerciseIntensity: Int? = nil,
    medication: String? = nil,
    medicationMilligrams: Double? = nil,
    medicationKilograms: Double? = nil,
    medicationMillilitres: Double? = nil,
    medicationLitres: Double? = nil,
    hba1c: Double? = nil
  ) {
    self.sequence = sequence
    self.extendedFlags = extendedFlags
    self.carbohydrate = carbohydrate
    self.carbohydrateGrams = carbohydrateGrams
    self.carbohydrateKilograms = carbohydrateKilograms
    self.meal = meal
    self.tester = tester
    self.health = health
    self.exerciseDuration = exerciseDuration
    self.exerciseIntensity = exerciseIntensity
    self.medication = medication
    self.medicationMilligrams = medicationMilligrams
    self.medicationKilograms = medicationKilograms
    self.medicationMillilitres = medicationMillilitres
    self.medicationLitres = medicationLitres
    self.hba1c = hba1c
  }
}

extension GlucoseMeasurementContext: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    sequence = try fields.value("sequence")
    extendedFlags = try fields.optional("extended-flags")
    carbohydrate = try fields.optional("carbohydrate")
    carbohydrateGrams = try fields.optional("carbohydrate-grams")
    carbohydrateKilograms = try fields.optional("carbohydrate-kilograms")
    meal = try fields.optional("meal")
    tester = try fields.optional("tester")
    health = try fields.optional("health")
    exerciseDuration = try fields.optional("exercise-duration")
    exerciseIntensity = try fields.optional("exercise-intensity")
    medication = try fields.optional("medication")
    medicationMilligrams = try fields.optional("medication-milligrams")
    medicationKilograms = try fields.optional("medication-kilograms")
    medicationMillilitres = try fields.optional("medication-millilitres")
    medicationLitres = try fields.optional("medication-litres")
    hba1c = try fields.optional("hba1c")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("sequence", sequence),
      field("extended-flags", extendedFlags),
      field("carbohydrate", carbohydrate),
      field("carbohydrate-grams", carbohydrateGrams),
      field("carbohydrate-kilograms", carbohydrateKilograms),
      field("meal", meal),
      field("tester", tester),
      field("health", health),
      field("exercise-duration", exerciseDuration),
      field("exercise-intensity", exerciseIntensity),
      field("medication", medication),
      field("medication-milligrams", medicationMilligrams),
      field("medication-kilograms", medicationKilograms),
      field("medication-millilitres", medicationMillilitres),
      field("medication-litres", medicationLitres),
      field("hba1c", hba1c),
    ]
  }
}

/// The fields of: glucose feature.
public struct GlucoseFeature: Hashable, Sendable {
  /// `low-battery`.
  public var lowBattery: Bool
  /// `sensor-malfunction`.
  public var sensorMalfunction: Bool
  /// `sample-size`.
  public var sampleSize: Bool
  /// `strip-insertion`.
  public var stripInsertion: Bool
  /// `strip-type`.
  public var stripType: Bool
  /// `result-range`.
  public var resultRange: Bool
  /// `temperature-range`.
  public var temperatureRange: Bool
  /// `read-interrupt`.
  public var readInterrupt: Bool
  /// `device-fault`.
  public var deviceFault: Bool
  /// `time-fault`.
  public var timeFault: Bool
  /// `multiple-bonds`.
  public var multipleBonds: Bool

  /// A value with these fields.
  public init(
    lowBattery: Bool = false,
    sensorMalfunction: Bool = false,
    sampleSize: Bool = false,
    stripInsertion: Bool = false,
    stripType: Bool = false,
    resultRange: Bool = false,
    temperatureRange: Bool = false,
    readInterrupt: Bool = false,
    deviceFault: Bool = false,
    timeFault: Bool = false,
    multipleBonds: Bool = false
  ) {
    self.lowBattery = lowBattery
    self.sensorMalfunction = sensorMalfunction
    self.sampleSize = sampleSize
    self.stripInsertion = stripInsertion
    self.stripType = stripType
    self.resultRange = resultRange
    self.temperatureRange = temperatureRange
    self.readInterrupt = readInterrupt
    self.deviceFault = deviceFault
    self.timeFault = timeFault
    self.multipleBonds = multipleBonds
  }
}

extension GlucoseFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    lowBattery = try fields.value("low-battery")
    sensorMalfunction = try fields.value("sensor-malfunction")
    sampleSize = try fields.value("sample-size")
    stripInsertion = try fields.value("strip-insertion")
    stripType = try fields.value("strip-type")
    resultRange = try fields.value("result-range")
    temperatureRange = try fields.value("temperature-range")
    readInterrupt = try fields.value("read-interrupt")
    deviceFault = try fields.value("device-fault")
    timeFault = try fields.value("time-fault")
    multipleBonds = try fields.value("multiple-bonds")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("low-battery", lowBattery),
      field("sensor-malfunction", sensorMalfunction),
      field("sample-size", sampleSize),
      field("strip-insertion", stripInsertion),
      field("strip-type", stripType),
      field("result-range", resultRange),
      field("temperature-range", temperatureRange),
      field("read-interrupt", readInterrupt),
      field("device-fault", deviceFault),
      field("time-fault", timeFault),
      field("multiple-bonds", multipleBonds),
    ]
  }
}

extension Characteristic where Value == GlucoseMeasurement {
  /// Glucose Measurement.
  public static var glucoseMeasurement: Self { .standard(0x2a18) }
}

extension Characteristic where Value == GlucoseMeasurementContext {
  /// Glucose Measurement Context.
  public static var glucoseMeasurementContext: Self { .standard(0x2a34) }
}

extension Characteristic where Value == GlucoseFeature {
  /// Glucose Feature.
  public static var glucoseFeature: Self { .standard(0x2a51) }
}
