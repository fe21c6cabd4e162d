// Beacons in manufacturer data: iBeacon and AltBeacon.

enum Beacons {
  private static let apple: UInt16 = 0x004c

  /// - Source: Apple, "Proximity Beacon Specification", release R1: type 0x02, length 0x15.
  static func iBeacon(_ company: UInt16, _ data: [UInt8]) -> AdvertisedFormat? {
    guard company == apple, data.count == 23, data.starts(with: [0x02, 0x15]) else { return nil }
    return AdvertisedFormat(
      .iBeacon,
      [
        .init("uuid", .text(uuid(data[2..<18]))),
        .integer("major", data[18..<20].bigEndian),
        .integer("minor", data[20..<22].bigEndian),
        .power("power", data[22...22]),
      ]
    )
  }

  /// - Source: Radius Networks, "AltBeacon Protocol Specification" v1.0.
  static func altBeacon(_ data: [UInt8]) -> AdvertisedFormat? {
    guard data.count == 24, data.starts(with: [0xbe, 0xac]) else { return nil }
    return AdvertisedFormat(
      .altBeacon,
      [
        .octets("id", data[2..<22]),
        .power("power", data[22...22]),
        .integer("reserved", data[23]),
      ]
    )
  }

  /// 16 bytes, most significant first, in the usual groups.
  private static func uuid(_ octets: ArraySlice<UInt8>) -> String {
    var text = ""
    for (index, octet) in octets.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += hexadecimal(octet)
    }
    return text
  }
}
