// Eddystone: four kinds of frames in service data.

/// - Source: Google, "Eddystone Protocol Specification": eddystone-uid, eddystone-url, tlm-plain,
///   eddystone-eid.
enum Eddystone {
  private static let service = BluetoothUUID(short: 0xfeaa)

  /// Decodes a frame; nil when it is malformed, encrypted, or of another kind.
  static func frame(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == Self.service else { return nil }
    switch data.first {
    case 0x00?: return identifier(data)
    case 0x10?: return url(data)
    case 0x20?: return telemetry(data)
    case 0x30?: return ephemeral(data)
    default: return nil
    }
  }

  /// The two reserved bytes at the end may be missing.
  private static func identifier(_ data: [UInt8]) -> AdvertisedFormat? {
    guard data.count == 18 || data.count == 20 else { return nil }
    return AdvertisedFormat(
      .eddystoneUID,
      [
        .power("power", data[1...1]), .octets("namespace", data[2..<12]),
        .octets("instance", data[12..<18]),
      ]
    )
  }

  private static func url(_ data: [UInt8]) -> AdvertisedFormat? {
    guard (3...20).contains(data.count), schemes.indices.contains(Int(data[2])) else { return nil }
    var text = schemes[Int(data[2])]
    for octet in data[3...] {
      switch octet {
      case 0x21...0x7e: text.unicodeScalars.append(Unicode.Scalar(octet))
      case 0x00..<UInt8(domains.count): text += domains[Int(octet)]
      default: return nil
      }
    }
    return AdvertisedFormat(
      .eddystoneURL, [.power("power", data[1...1]), .init("url", .text(text))]
    )
  }

  private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  private static let domains =
    [".com/", ".org/", ".edu/", ".net/", ".info/", ".biz/", ".gov/"]
    + [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]

  /// Version 0; 0 V and -128 °C mean that the beacon does not measure it.
  private static func telemetry(_ data: [UInt8]) -> AdvertisedFormat? {
    guard data.count == 14, data[1] == 0 else { return nil }
    let battery = data[2..<4].bigEndian
    let steps = Int16(truncatingIfNeeded: data[4..<6].bigEndian)
    let celsius = DecodedValue.real(Double(steps) / 256, decimals: 3)
    return AdvertisedFormat(
      .eddystoneTLM,
      [
        .init(
          "battery", battery == 0 ? .text("unknown") : .integer(battery), unit: "mV", data[2..<4]
        ),
        .init("temperature", steps == .min ? .text("unknown") : celsius, unit: "°C", data[4..<6]),
        .integer("advertisements", data[6..<10].bigEndian),
        .init(
          "uptime", .real(Double(data[10..<14].bigEndian) / 10, decimals: 1), unit: "s",
          data[10..<14]
        ),
      ]
    )
  }

  private static func ephemeral(_ data: [UInt8]) -> AdvertisedFormat? {
    guard data.count == 10 else { return nil }
    return AdvertisedFormat(
      .eddystoneEID, [.power("power", data[1...1]), .octets("id", data[2..<10])]
    )
  }
}
