// Reads the fields of a frame, least significant octet first.
//
// A missing field is nil: a truncated frame is not a valid frame of its kind.

/// A position in a frame.
struct FrameReader {
  private var rest: ArraySlice<UInt8>

  init(_ octets: some Sequence<UInt8>) {
    rest = Array(octets)[...]
  }

  /// The octets that have not been read.
  var remaining: [UInt8] { Array(rest) }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Reads an unsigned integer of `count` octets.
  mutating func number(_ count: Int) -> UInt64? {
    take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func byte() -> UInt8? { number(1).map { UInt8($0) } }

  /// Reads a signed octet, the form of TX power and RSSI.
  mutating func signed() -> Int? { byte().map { Int(Int8(bitPattern: $0)) } }

  mutating func uint16() -> UInt16? { number(2).map { UInt16($0) } }

  mutating func uint32() -> UInt32? { number(4).map { UInt32($0) } }
}

extension UInt16 {
  /// The two octets, least significant first.
  var littleEndianOctets: [UInt8] {
    [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
  }
}
