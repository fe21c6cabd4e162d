// The types of the values of BodyCompositionValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: body composition feature.
public struct BodyCompositionFeature: Hashable, Sendable {
  /// `timestamp`.
  public var timestamp: Bool
  /// `multiple-users`.
  public var multipleUsers: Bool
  /// `metabolism`.
  public var metabolism: Bool
  /// `muscle-percentage`.
  public var musclePercentage: Bool
  /// `muscle-mass`.
  public var muscleMass: Bool
  /// `fat-free-mass`.
  public var fatFreeMass: Bool
  /// `lean-mass`.
  public var leanMass: Bool
  /// `water-mass`.
  public var waterMass: Bool
  /// `impedance`.
  public var impedance: Bool
  /// `weight`.
  public var weight: Bool
  /// `height`.
  public var height: Bool
  /// `mass-resolution`.
  public var massResolution: String
  /// `height-resolution`.
  public var heightResolution: String

  /// A value with these fields.
  public init(
    timestamp: Bool = false,
    multipleUsers: Bool = false,
    metabolism: Bool = false,
    musclePercentage: Bool = false,
    muscleMass: Bool = false,
    fatFreeMass: Bool = false,
    leanMass: Bool = false,
    waterMass: Bool = false,
    impedance: Bool = false,
    weight: Bool = false,
    height: Bool = false,
    massResolution: String,
    heightResolution: String
  ) {
    self.timestamp = timestamp
    self.multipleUsers = multipleUsers
    self.metabolism = metabolism
    self.musclePercentage = musclePercentage
    self.muscleMass = muscleMass
    self.fatFreeMass = fatFreeMass
    self.leanMass = leanMass
    self.waterMass = waterMass
    self.impedance = impedance
    self.weight = weight
    self.height = height
    self.massResolution = massResolution
    self.heightResolution = heightResolution
  }
}

extension BodyCompositionFeature: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    timestamp = try fields.value("timestamp")
    multipleUsers = try fields.value("multiple-users")
    metabolism = try fields.value("metabolism")
    musclePercentage = try fields.value("muscle-percentage")
    muscleMass = try fields.value("muscle-mass")
    fatFreeMass = try fields.value("fat-free-mass")
    leanMass = try fields.value("lean-mass")
    waterMass = try fields.value("water-mass")
    impedance = try fields.value("impedance")
    weight = try fields.value("weight")
    height = try fields.value("height")
    massResolution = try fields.value("mass-resolution")
    heightResolution = try fields.value("height-resolution")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("timestamp", timestamp),
      field("multiple-users", multipleUsers),
      field("metabolism", metabolism),
      field("muscle-percentage", musclePercentage),
      field("muscle-mass", muscleMass),
      field("fat-free-mass", fatFreeMass),
      field("lean-mass", leanMass),
      field("water-mass", waterMass),
      field("impedance", impedance),
      field("weight", weight),
      field("height", height),
      field("mass-resolution", massResolution),
      field("height-resolution", heightResolution),
    ]
  }
}

/// The fields of: body composition measurement.
public struct BodyCompositionMeasurement: Hashable, Sendable {
  /// `fat`, in %.
  public var fat: Quantity<Double>
  /// `timestamp`; nil when it is not sent.
  public var timestamp: DateTime?
  /// `user`; nil when it is not sent.
  public var user: Quantity<Int>?
  /// `metabolism`, in kJ; nil when it is not sent.
  public var metabolism: Int?
  /// `muscle`, in %; nil when it is not sent.
  public var muscle: Double?
  /// `muscle-kilograms`, in kg; nil when it is not sent.
  public var muscleKilograms: Quantity<Double>?
  /// `muscle-pounds`, in lb; nil when it is not sent.
  public var musclePounds: Quantity<Double>?
  /// `fat-free-kilograms`, in kg; nil when it is not sent.
  public var fatFreeKilograms: Quantity<Double>?
  /// `fat-free-pounds`, in lb; nil when it is not sent.
  public var fatFreePounds: Quantity<Double>?
  /// `lean-kilograms`, in kg; nil when it is not sent.
  public var leanKilograms: Quantity<Double>?
  /// `lean-pounds`, in lb; nil when it is not sent.
  public var leanPounds: Quantity<Double>?
  /// `water-kilograms`, in kg; nil when it is not sent.
  public var waterKilograms: Quantity<Double>?
  /// `water-pounds`, in lb; nil when it is not sent.
  public var waterPounds: Quantity<Double>?
  /// `impedance`, in Ω; nil when it is not sent.
  public var impedance: Double?
  /// `kilograms`, in kg; nil when it is not sent.
  public var kilograms: Quantity<Double>?
  /// `pounds`, in lb; nil when it is not sent.
  public var pounds: Quantity<Double>?
  /// `metres`, in m; nil when it is not sent.
  public var metres: Double?
  /// `inches`, in in; nil when it is not sent.
  public var inches: Double?
  /// `continued`.
  public var continued: Bool

  /// A value with these fields.
  public init(
    fat: Quantity<Double>,
    timestamp: DateTime? = nil,
    user: Quantity<Int>? = nil,
    metabolism: Int? = nil,
    muscle: Double? = nil,
    muscleKilograms: Quantity<Double>? = nil,
    musclePounds: Quantity<Double>? = nil,
    fatFreeKilograms: Quantity<Double>? = nil,
    fatFreePounds: Quantity<Double>? = nil,
    leanKilograms: Quantity<Double>? = nil,
    leanPounds: Quantity<Double>? = nil,
    waterKilograms: Quantity<Double>? = nil,
    waterPounds: Quantity<Double>? = nil,
    impedance: Double? = nil,
    kilograms: Quantity<Double>? = nil,
    pounds: Quantity<Double>? = nil,
    metres: Double? = nil,
    inches: Double? = nil,
    continued: Bool = false
  ) {
    self.fat = fat
    self.timestamp = timestamp
    self.user = user
    self.metabolism = metabolism
    self.muscle = muscle
    self.muscleKilograms = muscleKilograms
    self.musclePounds = musclePounds
    self.fatFreeKilograms = fatFreeKilograms
    self.fatFreePounds = fatFreePounds
    self.leanKilograms = leanKilograms
    self.leanPounds = leanPounds
    self.waterKilograms = waterKilograms
    self.waterPounds = waterPounds
    self.impedance = impedance
    self.kilograms = kilograms
    self.pounds = pounds
    self.metres = metres
    self.inches = inches
    self.continued = continued
  }
}

extension BodyCompositionMeasurement: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    fat = try fields.value("fat")
    timestamp = try fields.optional("timestamp")
    user = try fields.optional("user")
    metabolism = try fields.optional("metabolism")
    muscle = try fields.optional("muscle")
    muscleKilograms = try fields.optional("muscle-kilograms")
    musclePounds = try fields.optional("muscle-pounds")
    fatFreeKilograms = try fields.optional("fat-free-kilograms")
    fatFreePounds = try fields.optional("fat-free-pounds")
    leanKilograms = try fields.optional("lean-kilograms")
    leanPounds = try fields.optional("lean-pounds")
    waterKilograms = try fields.optional("water-kilograms")
    waterPounds = try fields.optional("water-pounds")
    impedance = try fields.optional("impedance")
    kilograms = try fields.optional("kilograms")
    pounds = try fields.optional("pounds")
    metres = try fields.optional("metres")
    inches = try fields.optional("inches")
    continued = try fields.value("continued")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("fat", fat),
      field("timestamp", timestamp),
      field("user", user),
      field("metabolism", metabolism),
      field("muscle", muscle),
      field("muscle-kilograms", muscleKilograms),
      field("muscle-pounds", musclePounds),
      field("fat-free-kilograms", fatFreeKilograms),
      field("fat-free-pounds", fatFreePounds),
      field("lean-kilograms", leanKilograms),
      field("lean-pounds", leanPounds),
      field("water-kilograms", waterKilograms),
      field("water-pounds", waterPounds),
      field("impedance", impedance),
      field("kilograms", kilograms),
      field("pounds", pounds),
      field("metres", metres),
      field("inches", inches),
      field("continued", continued),
    ]
  }
}

extension Characteristic where Value == BodyCompositionFeature {
  /// Body Composition Feature.
  public static var bodyCompositionFeature: Self { .standard(0x2a9b) }
}

extension Characteristic where Value == BodyCompositionMeasurement {
  /// Body Composition Measurement.
  public static var bodyCompositionMeasurement: Self { .standard(0x2a9c) }
}
