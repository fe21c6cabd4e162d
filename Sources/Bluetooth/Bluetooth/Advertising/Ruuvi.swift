// RuuviTag and Ruuvi Air: measurements in manufacturer data.

enum Ruuvi {
  private static let company: UInt16 = 0x0499

  /// Decodes the formats that the tags send; a field that they do not measure is `unknown`.
  static func measurements(_ company: UInt16, _ data: [UInt8]) -> AdvertisedFormat? {
    guard company == Self.company else { return nil }
    switch (data.first, data.count) {
    case (3, 14): return format3(data)
    case (5, 24): return format5(data)
    case (6, 20): return format6(data)
    case (0xe1, 40): return formatE1(data)
    default: return nil
    }
  }

  /// - Source: Ruuvi, "Data Format 3 Protocol Specification (RAWv1)".
  private static func format3(_ data: [UInt8]) -> AdvertisedFormat {
    // The sign is a separate bit.
    let degrees = Double(Int(data[2] & 0x7f) * 100 + Int(data[3])) / 100
    let celsius = data[2] & 0x80 == 0 ? degrees : -degrees
    return AdvertisedFormat(
      .ruuvi3,
      [
        .init("temperature", .real(celsius, decimals: 2), unit: "°C", data[2..<4]),
        .init("humidity", .real(Double(data[1]) / 2, decimals: 1), unit: "%", data[1...1]),
        .init("pressure", .integer(data[4..<6].bigEndian + 50_000), unit: "Pa", data[4..<6]),
        signed("acceleration-x", data[6..<8], over: 1000, decimals: 3, "g"),
        signed("acceleration-y", data[8..<10], over: 1000, decimals: 3, "g"),
        signed("acceleration-z", data[10..<12], over: 1000, decimals: 3, "g"),
        .integer("battery", data[12..<14], "mV"),
      ]
    )
  }

  /// - Source: Ruuvi, "Data Format 6 Protocol Specification".
  private static func format6(_ data: [UInt8]) -> AdvertisedFormat {
    AdvertisedFormat(
      .ruuvi6,
      [
        signed("temperature", data[1..<3], over: 200, decimals: 3, "°C"),
        unsigned("humidity", data[3..<5], "%") { .real(Double($0) / 400, decimals: 4) },
        unsigned("pressure", data[5..<7], "Pa") { .integer($0 + 50_000) },
        particles("pm2.5", data[7..<9]), unsigned("co2", data[9..<11], "ppm") { .integer($0) },
        index("voc-index", data[11], data[16] >> 6), index("nox-index", data[12], data[16] >> 7),
        unsigned("illuminance", data[13..<14], "lx") { .real(lux($0), decimals: 2) },
        .integer("sequence", data[15]),
        .init("calibrating", .boolean(data[16] & 1 == 1)),
        .octets("address-end", data[17..<20]),
      ]
    )
  }

  /// Illuminance in 254 steps of a logarithm, of 0 to 65535 lx: 65536^(n/254) - 1, to two decimals.
  private static func lux(_ code: Int128) -> Double {
    var power = 1.0
    for _ in 0..<code { power *= 1.0446300614125956 }
    return ((power - 1) * 100).rounded() / 100
  }

  /// - Source: Ruuvi, "Data Format E1 Protocol Specification (Extended v1)".
  private static func formatE1(_ data: [UInt8]) -> AdvertisedFormat {
    AdvertisedFormat(
      .ruuviE1,
      [
        signed("temperature", data[1..<3], over: 200, decimals: 3, "°C"),
        unsigned("humidity", data[3..<5], "%") { .real(Double($0) / 400, decimals: 4) },
        unsigned("pressure", data[5..<7], "Pa") { .integer($0 + 50_000) },
        particles("pm1", data[7..<9]), particles("pm2.5", data[9..<11]),
        particles("pm4", data[11..<13]), particles("pm10", data[13..<15]),
        unsigned("co2", data[15..<17], "ppm") { .integer($0) },
        index("voc-index", data[17], data[28] >> 6), index("nox-index", data[18], data[28] >> 7),
        unsigned("illuminance", data[19..<22], "lx") { .real(Double($0) / 100, decimals: 2) },
        unsigned("sequence", data[25..<28]) { .integer($0) },
        .init("calibrating", .boolean(data[28] & 1 == 1)), address(data[34..<40]),
      ]
    )
  }

  /// - Source: Ruuvi, "Data Format 5 Protocol Specification (RAWv2)".
  private static func format5(_ data: [UInt8]) -> AdvertisedFormat {
    let voltage = data[13..<15].bigEndian >> 5
    let power = data[13..<15].bigEndian & 0x1f
    return AdvertisedFormat(
      .ruuvi,
      [
        signed("temperature", data[1..<3], over: 200, decimals: 3, "°C"),
        unsigned("humidity", data[3..<5], "%") { .real(Double($0) / 400, decimals: 4) },
        unsigned("pressure", data[5..<7], "Pa") { .integer($0 + 50_000) },
        signed("acceleration-x", data[7..<9], over: 1000, decimals: 3, "g"),
        signed("acceleration-y", data[9..<11], over: 1000, decimals: 3, "g"),
        signed("acceleration-z", data[11..<13], over: 1000, decimals: 3, "g"),
        .init(
          "battery", voltage == 0x7ff ? unknown : .integer(voltage + 1600), unit: "mV",
          data[13..<15]
        ),
        .init(
          "power", power == 0x1f ? unknown : .integer(power * 2 - 40), unit: "dBm", data[13..<15]
        ),
        unsigned("movements", data[15..<16]) { .integer($0) },
        unsigned("sequence", data[16..<18]) { .integer($0) },
        address(data[18..<24]),
      ]
    )
  }

  private static let unknown = DecodedValue.text("unknown")

  private static func address(_ octets: ArraySlice<UInt8>) -> AdvertisedField {
    octets.allSatisfy { $0 == 0xff } ? .init("address", unknown) : .address(octets)
  }

  /// The mass of particles in a volume of air.
  private static func particles(_ name: String, _ octets: ArraySlice<UInt8>) -> AdvertisedField {
    unsigned(name, octets, "µg/m³") { .real(Double($0) / 10, decimals: 1) }
  }

  /// An index of nine bits. The lowest one is a bit of the flags.
  private static func index(_ name: String, _ high: UInt8, _ low: UInt8) -> AdvertisedField {
    let index = Int128(high) << 1 | Int128(low & 1)
    return .init(name, index == 511 ? unknown : .integer(index))
  }

  private static func signed(
    _ name: String, _ octets: ArraySlice<UInt8>, over: Double, decimals: Int, _ unit: String
  ) -> AdvertisedField {
    let number = Int16(truncatingIfNeeded: octets.bigEndian)
    let value = DecodedValue.real(Double(number) / over, decimals: decimals)
    return .init(name, number == .min ? unknown : value, unit: unit, octets)
  }

  private static func unsigned(
    _ name: String, _ octets: ArraySlice<UInt8>, _ unit: String? = nil,
    _ value: (Int128) -> DecodedValue
  ) -> AdvertisedField {
    let isKnown = !octets.allSatisfy { $0 == 0xff }
    return .init(name, isKnown ? value(octets.bigEndian) : unknown, unit: unit, octets)
  }
}
