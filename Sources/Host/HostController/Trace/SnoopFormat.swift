// Encodes the btsnoop format.

/// A trace file of monitor packets.
///
/// - Source: RFC 1761 for the form; BlueZ `src/shared/btsnoop.c` for the flags.
enum SnoopFormat {
  /// "btsnoop" and a NUL, version 1, data link 2001: monitor packets.
  static let header: [UInt8] =
    Array("btsnoop".utf8) + [0] + bigEndian(UInt32(1)) + bigEndian(UInt32(2001))

  /// The octets of a record header.
  private static let recordHeader = 24

  /// 1970-01-01T00:00:00Z in microseconds since the epoch of the format, the year 0.
  private static let epoch: Int64 = 0x00dc_ddb3_0f2f_8000

  /// Encodes a packet with the time at which the kernel captured it.
  ///
  /// - Parameter microseconds: Since 1970-01-01T00:00:00Z.
  static func record(_ packet: MonitorPacket, at microseconds: Int) -> [UInt8] {
    let length = bigEndian(UInt32(packet.payload.count))
    let flags = UInt32(packet.index) << 16 | UInt32(packet.opcode)
    let dropped: UInt32 = 0
    let time = UInt64(bitPattern: epoch + Int64(microseconds))
    var record: [UInt8] = []
    record.reserveCapacity(recordHeader + packet.payload.count)
    record += length
    record += length
    record += bigEndian(flags)
    record += bigEndian(dropped)
    record += bigEndian(time)
    record += packet.payload
    return record
  }

  private static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }
}
