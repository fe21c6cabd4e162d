// The checksum of firmware updates.

/// CRC-32 with the polynomial of Ethernet, as in zlib.
///
/// - Source: ISO/IEC/IEEE 8802-3, §3.2.9; RFC 1952, §8.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xedb8_8320 ^ value >> 1 : value >> 1
    }
  }

  /// The checksum of earlier bytes, continued over further ones; 0 is that of no bytes.
  static func crc32(_ octets: [UInt8], after before: UInt32 = 0) -> UInt32 {
    ~octets.reduce(~before) { sum, octet in
      table[Int((sum ^ UInt32(octet)) & 0xff)] ^ sum >> 8
    }
  }
}
