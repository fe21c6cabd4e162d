// Reading the fields of a frame, least significant octet first.
//
// What is missing is nil: a frame that ends early is no frame of its kind.

/// A position in a frame.
struct FrameReader {
  private var rest: ArraySlice<UInt8>

  init(_ octets: some Sequence<UInt8>) {
    rest = Array(octets)[...]
  }

  /// What was not read yet.
  var remaining: [UInt8] { Array(rest) }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Takes an unsigned number of `count` octets.
  mutating func number(_ count: Int) -> UInt64? {
    take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func byte() -> UInt8? { number(1).map { UInt8($0) } }

  /// Takes a signed octet, as powers and strengths are told.
  mutating func signed() -> Int? { byte().map { Int(Int8(bitPattern: $0)) } }

  mutating func uint16() -> UInt16? { number(2).map { UInt16($0) } }

  mutating func uint32() -> UInt32? { number(4).map { UInt32($0) } }
}

extension UInt16 {
  /// The two octets of it, the lesser first.
  var littleEndianOctets: [UInt8] {
    [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)]
  }
}
