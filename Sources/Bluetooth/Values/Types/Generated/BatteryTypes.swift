// The types of the values of BatteryValues.swift, and their characteristics.
//
// Made of the layouts: 'UPDATE_GENERATED=1 swift test --filter TypedValues' writes this file.

/// The fields of: battery level status.
public struct BatteryLevelStatus: Hashable, Sendable {
  /// `present`.
  public var present: Bool
  /// `wired-power`.
  public var wiredPower: String
  /// `wireless-power`.
  public var wirelessPower: String
  /// `charge-state`.
  public var chargeState: String
  /// `charge-level`.
  public var chargeLevel: String
  /// `charging-type`.
  public var chargingType: String
  /// `charging-fault`.
  public var chargingFault: String
  /// `identifier`; nil when it is not sent.
  public var identifier: Int?
  /// `percent`, in %; nil when it is not sent.
  public var percent: Int?
  /// `service-required`; nil when it is not sent.
  public var serviceRequired: String?
  /// `battery-fault`; nil when it is not sent.
  public var batteryFault: Bool?

  /// A value with these fields.
  public init(
    present: Bool = false,
    wiredPower: String,
    wirelessPower: String,
    chargeState: String,
    chargeLevel: String,
    chargingType: String,
    chargingFault: String,
    identifier: Int? = nil,
    percent: Int? = nil,
    serviceRequired: String? = nil,
    batteryFault: Bool? = nil
  ) {
    self.present = present
    self.wiredPower = wiredPower
    self.wirelessPower = wirelessPower
    self.chargeState = chargeState
    self.chargeLevel = chargeLevel
    self.chargingType = chargingType
    self.chargingFault = chargingFault
    self.identifier = identifier
    self.percent = percent
    self.serviceRequired = serviceRequired
    self.batteryFault = batteryFault
  }
}

extension BatteryLevelStatus: LayoutRecord {
  init(_ fields: DecodedFields) throws(ValueError) {
    present = try fields.value("present")
    wiredPower = try fields.value("wired-power")
    wirelessPower = try fields.value("wireless-power")
    chargeState = try fields.value("charge-state")
    chargeLevel = try fields.value("charge-level")
    chargingType = try fields.value("charging-type")
    chargingFault = try fields.value("charging-fault")
    identifier = try fields.optional("identifier")
    percent = try fields.optional("percent")
    serviceRequired = try fields.optional("service-required")
    batteryFault = try fields.optional("battery-fault")
  }

  var fields: [DecodedValue.Field?] {
    [
      field("present", present),
      field("wired-power", wiredPower),
      field("wireless-power", wirelessPower),
      field("charge-state", chargeState),
      field("charge-level", chargeLevel),
      field("charging-type", chargingType),
      field("charging-fault", chargingFault),
      field("identifier", identifier),
      field("percent", percent),
      field("service-required", serviceRequired),
      field("battery-fault", batteryFault),
    ]
  }
}

extension Characteristic where Value == Int {
  /// Battery Level, in %.
  public static var batteryLevel: Self { .standard(0x2a19) }
}

extension Characteristic where Value == BatteryLevelStatus {
  /// Battery Level Status.
  public static var batteryLevelStatus: Self { .standard(0x2bed) }
}
