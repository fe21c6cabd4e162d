// Reads the fields of a packet in order. A missing field is nil, so that a truncated packet is not
// taken as valid. OctetReader reads values, and names the missing field.

/// A position in a packet. Numbers are little-endian unless a function's name says otherwise.
package struct PacketReader {
  package private(set) var rest: ArraySlice<UInt8>

  package init(_ octets: some Sequence<UInt8>) { rest = Array(octets)[...] }

  package var isAtEnd: Bool { rest.isEmpty }

  package mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  package mutating func remainingBytes() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }

  /// Reads an unsigned number of `count` octets.
  package mutating func number(_ count: Int) -> UInt64? {
    bytes(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  package mutating func uint8() -> UInt8? { number(1).map { UInt8($0) } }
  /// A signed octet, the form of TX power and RSSI.
  package mutating func int8() -> Int? { uint8().map { Int(Int8(bitPattern: $0)) } }
  package mutating func uint16() -> UInt16? { number(2).map { UInt16($0) } }
  package mutating func uint32() -> UInt32? { number(4).map { UInt32($0) } }
  package mutating func address() -> BluetoothAddress? {
    number(6).map { BluetoothAddress(number: $0) }
  }

  /// A number with the most significant octet first.
  package mutating func bigEndian(_ count: Int) -> UInt64? {
    bytes(count)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A UUID of 2, 4 or 16 octets.
  package mutating func uuid(_ count: Int) -> BluetoothUUID? {
    bytes(count).flatMap { BluetoothUUID(airOctets: $0) }
  }
}
