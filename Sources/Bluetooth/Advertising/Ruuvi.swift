// RuuviTag: measurements in manufacturer data.

enum Ruuvi {
  private static let company: UInt16 = 0x0499

  /// Data format 5 (RAWv2). A field that the tag does not measure is `unknown`.
  ///
  /// - Source: Ruuvi, "Data Format 5 Protocol Specification (RAWv2)".
  static func format5(_ company: UInt16, _ data: [UInt8]) -> AdvertisedFormat? {
    guard company == Self.company, data.count == 24, data[0] == 5 else { return nil }
    let voltage = data[13..<15].bigEndian >> 5
    let power = data[13..<15].bigEndian & 0x1f
    return AdvertisedFormat(
      .ruuvi,
      [
        signed("temperature", data[1..<3], step: 0.005, decimals: 3, "°C"),
        unsigned("humidity", data[3..<5], "%") { .real(Double($0) * 0.0025, decimals: 4) },
        unsigned("pressure", data[5..<7], "Pa") { .integer($0 + 50_000) },
        signed("acceleration-x", data[7..<9], step: 0.001, decimals: 3, "g"),
        signed("acceleration-y", data[9..<11], step: 0.001, decimals: 3, "g"),
        signed("acceleration-z", data[11..<13], step: 0.001, decimals: 3, "g"),
        .init("battery", voltage == 0x7ff ? unknown : .integer(voltage + 1600), unit: "mV"),
        .init("power", power == 0x1f ? unknown : .integer(power * 2 - 40), unit: "dBm"),
        unsigned("movements", data[15..<16]) { .integer($0) },
        unsigned("sequence", data[16..<18]) { .integer($0) },
        .init("address", address(data[18..<24])),
      ]
    )
  }

  private static let unknown = DecodedValue.text("unknown")

  private static func signed(
    _ name: String,
    _ octets: ArraySlice<UInt8>,
    step: Double,
    decimals: Int,
    _ unit: String
  ) -> DecodedValue.Field {
    let number = Int16(truncatingIfNeeded: octets.bigEndian)
    let value = DecodedValue.real(Double(number) * step, decimals: decimals)
    return .init(name, number == .min ? unknown : value, unit: unit)
  }

  private static func unsigned(
    _ name: String,
    _ octets: ArraySlice<UInt8>,
    _ unit: String? = nil,
    _ value: (Int64) -> DecodedValue
  ) -> DecodedValue.Field {
    let isKnown = !octets.allSatisfy { $0 == 0xff }
    return .init(name, isKnown ? value(octets.bigEndian) : unknown, unit: unit)
  }

  private static func address(_ octets: ArraySlice<UInt8>) -> DecodedValue {
    if octets.allSatisfy({ $0 == 0xff }) { return unknown }
    return .text("\(BluetoothAddress(number: UInt64(octets.bigEndian)))")
  }
}
