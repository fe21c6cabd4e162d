// Xiaomi thermometers with the open firmware ATC_MiThermometer: measurements in service data.

/// - Source: github.com/atc1441/ATC_MiThermometer, "Advertising format of the custom firmware";
///   github.com/pvvx/ATC_MiThermometer, "Custom format".
enum Thermometers {
  /// The UUID of Environmental Sensing, which both formats borrow for their service data.
  private static let service = BluetoothUUID(short: 0x181a)

  /// Decodes both formats, which differ in their lengths.
  static func measurements(_ service: BluetoothUUID, _ data: [UInt8]) -> AdvertisedFormat? {
    guard service == Self.service else { return nil }
    switch data.count {
    case 13: return atc(data)
    case 15: return pvvx(data)
    default: return nil
    }
  }

  /// Most significant byte first.
  private static func atc(_ data: [UInt8]) -> AdvertisedFormat {
    let tenths = Int16(truncatingIfNeeded: data[6..<8].bigEndian)
    return AdvertisedFormat(
      .atc,
      [
        .init("temperature", .real(Double(tenths) / 10, decimals: 1), unit: "°C", data[6..<8]),
        .integer("humidity", data[8...8], "%"),
        .integer("battery", data[9...9], "%"),
        .integer("voltage", data[10..<12], "mV"),
        .integer("sequence", data[12]),
        .address(data[0..<6]),
      ]
    )
  }

  /// Least significant byte first.
  private static func pvvx(_ data: [UInt8]) -> AdvertisedFormat {
    let humidity = Double(data[8..<10].reversed().bigEndian)
    let hundredths = Int16(truncatingIfNeeded: data[6..<8].reversed().bigEndian)
    return AdvertisedFormat(
      .pvvx,
      [
        .init("temperature", .real(Double(hundredths) / 100, decimals: 2), unit: "°C", data[6..<8]),
        .init("humidity", .real(humidity / 100, decimals: 2), unit: "%", data[8..<10]),
        .integer("battery", data[12...12], "%"),
        .init("voltage", .integer(data[10..<12].reversed().bigEndian), unit: "mV", data[10..<12]),
        .integer("sequence", data[13]),
        .octets("flags", data[14..<15]),
        .address(data[0..<6].reversed()),
      ]
    )
  }
}
