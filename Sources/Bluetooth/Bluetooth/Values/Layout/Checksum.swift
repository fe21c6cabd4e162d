// The checksum of values that are protected from end to end.

/// The E2E-CRC: CRC-CCITT with the polynomial x¹⁶ + x¹² + x⁵ + 1, least significant bits first, from
/// 0xffff.
///
/// - Source: Continuous Glucose Monitoring Service 1.0.2, E2E-CRC.
enum Checksum {
  /// The two octets in the order in which they are sent.
  static func octets(of octets: ArraySlice<UInt8>) -> [UInt8] {
    let crc = octets.reduce(0xffff as UInt16) { crc, octet in
      (0..<8).reduce(crc ^ UInt16(octet)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0x8408 : 0) }
    }
    return [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
  }
}
