// Reads the fields of a value in order.

/// A position in a value. An error names the missing field and its offset.
struct OctetReader {
  let octets: [UInt8]
  private(set) var position = 0
  /// The end of the fields: the end of the octets, or of the record whose size was read.
  private var end: Int

  init(_ octets: [UInt8]) {
    self.octets = octets
    end = octets.count
  }

  /// Reads a part of some octets, whose fields keep their offsets.
  init(_ octets: [UInt8], _ part: Range<Int>) {
    self.octets = octets
    position = part.lowerBound
    end = part.upperBound
  }

  var isAtEnd: Bool { remaining == 0 }
  var remaining: Int { end - position }

  /// The octets from the position on, including those after the end of the record.
  var rest: [UInt8] { Array(octets[position...]) }

  /// Reads the size of the record, which includes the octets read before.
  mutating func size(_ field: String) throws(ValueError) {
    let start = position
    let size = Int(try byte(field))
    guard size <= octets.count else {
      let problem = ValueError.length(size, found: octets.count)
      throw ValueError(field: field, octet: start, problem: problem)
    }
    end = max(position, size)
  }

  /// Reads `count` octets.
  mutating func take(_ count: Int, _ field: String) throws(ValueError) -> ArraySlice<UInt8> {
    guard remaining >= count else {
      throw ValueError(
        field: field, octet: position, problem: ValueError.length(count, found: remaining)
      )
    }
    defer { position += count }
    return octets[position..<(position + count)]
  }

  /// Reads an unsigned number, least significant octet first.
  mutating func unsigned(_ count: Int, _ field: String) throws(ValueError) -> UInt64 {
    try take(count, field).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Moves to a position before the end of the fields.
  mutating func move(to position: Int, _ field: String) throws(ValueError) {
    guard position <= end else {
      let problem = ValueError.length(position - self.position, found: remaining)
      throw ValueError(field: field, octet: self.position, problem: problem)
    }
    self.position = position
  }

  /// Reads the octets of a number in its order.
  mutating func word(_ number: WireNumber, _ field: String) throws(ValueError) -> UInt64 {
    guard number.isBigEndian else { return try unsigned(number.octets, field) }
    return try take(number.octets, field).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The octets up to the end of the fields, whose offsets they keep.
  mutating func part(_ count: Int, _ field: String) throws(ValueError) -> OctetReader {
    let start = position
    _ = try take(count, field)
    return OctetReader(octets, start..<position)
  }

  mutating func byte(_ field: String) throws(ValueError) -> UInt8 {
    UInt8(try unsigned(1, field))
  }

  mutating func uint16(_ field: String) throws(ValueError) -> UInt16 {
    UInt16(try unsigned(2, field))
  }

  /// The remaining octets as text.
  mutating func text(_ field: String) throws(ValueError) -> String {
    let start = position
    let rest = try take(remaining, field)
    // Some devices pad their strings with NULs.
    let content = rest.prefix { $0 != 0 }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ValueError(field: field, octet: start, problem: "invalid UTF-8", isOutOfRange: true)
    }
    return text
  }
}
