// What the octets of standard characteristics mean.

/// Decoders of characteristics whose format the Bluetooth SIG defines.
public enum StandardValues {
  /// Turns octets into a value, or says which field is wrong.
  public typealias Decoder = @Sendable ([UInt8]) throws(ValueError) -> DecodedValue

  /// The decoder for a characteristic; nil where there is none.
  public static func decoder(for uuid: BluetoothUUID) -> Decoder? {
    guard let short = uuid.short else { return nil }
    return switch short {
    case 0x2a19: batteryLevel
    case 0x2a1c, 0x2a1e: temperatureMeasurement
    case 0x2a1d: temperatureType
    case 0x2a21: measurementInterval
    case 0x2a37: heartRateMeasurement
    case 0x2a38: bodySensorLocation
    case 0x2a06: alertLevel
    case 0x2a00, 0x2a24...0x2a29: text
    default: nil
    }
  }

  /// - Source: GATT Specification Supplement, "Battery Level".
  static let batteryLevel: Decoder = { octets throws(ValueError) in
    var reader = OctetReader(octets)
    let percent = try reader.byte("percent")
    try reader.end("percent")
    return .fields([.init("percent", .integer(Int64(percent)), unit: "%")])
  }

  /// - Source: GATT Specification Supplement, "Measurement Interval".
  static let measurementInterval: Decoder = { octets throws(ValueError) in
    var reader = OctetReader(octets)
    let seconds = try reader.uint16("seconds")
    try reader.end("seconds")
    return .fields([.init("seconds", .integer(Int64(seconds)), unit: "s")])
  }

  static let text: Decoder = { octets throws(ValueError) in
    var reader = OctetReader(octets)
    return .text(try reader.text("text"))
  }

  /// - Source: GATT Specification Supplement, "Body Sensor Location".
  static let bodySensorLocation: Decoder = named(
    "location",
    ["other", "chest", "wrist", "finger", "hand", "ear lobe", "foot"]
  )

  /// - Source: GATT Specification Supplement, "Temperature Type".
  static let temperatureType: Decoder = named("type", temperatureTypes)

  /// - Source: GATT Specification Supplement, "Alert Level".
  static let alertLevel: Decoder = named("level", ["no alert", "mild alert", "high alert"])

  static let temperatureTypes = [
    "reserved", "armpit", "body", "ear", "finger", "gastro-intestinal tract", "mouth", "rectum",
    "toe", "tympanum",
  ]

  private static func named(_ field: String, _ names: [String]) -> Decoder {
    { octets throws(ValueError) in
      var reader = OctetReader(octets)
      let number = try reader.byte(field)
      try reader.end(field)
      return .text(Self.name(number, names))
    }
  }

  static func name(_ number: UInt8, _ names: [String]) -> String {
    names.indices.contains(Int(number)) ? names[Int(number)] : "reserved (\(number))"
  }
}
