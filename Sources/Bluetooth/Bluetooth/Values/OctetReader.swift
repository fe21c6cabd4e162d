// Reads the fields of a value in order.

/// Fields that are not complete, because octets are missing that may still follow.
enum UnfinishedFields {
  case layout(ValueLayout.Progress)
  /// The values of a list so far, and the beginning of the next one.
  case values([DecodedValue], count: Int, start: Int)
  /// The end of the octets among which the one that ends a text is not.
  case searched(Int)
}

/// A position in a value. An error names the missing field and its offset.
struct OctetReader {
  private(set) var octets: [UInt8]
  private(set) var position = 0
  /// The end of the fields: the end of the octets, or of the record whose size was read.
  private var end: Int
  /// The number of fields read so far. Fields may move back to an offset, so that the octets alone
  /// do not bound it.
  private var visited = 0

  /// The largest number of fields of one value, with those that are read again.
  static let mostVisited = 100_000

  /// Whether more octets may follow, with which a field that is too short becomes complete.
  let isOpen: Bool
  /// The number of octets that the field that was too short needs at least.
  private(set) var needed = 0
  /// The fields that are not complete, the outermost last.
  private(set) var unfinished: [UnfinishedFields] = []
  /// Whether a check had to wait, because it needs all octets.
  private(set) var hasOpenChecks = false

  init(_ octets: [UInt8], isOpen: Bool = false) {
    self.octets = octets
    self.isOpen = isOpen
    end = octets.count
  }

  /// Reads a part of some octets, whose fields keep their offsets.
  init(_ octets: [UInt8], _ part: Range<Int>) {
    self.octets = octets
    isOpen = false
    position = part.lowerBound
    end = part.upperBound
  }

  /// Whether the fields are not complete before more octets follow.
  var isShort: Bool { needed > octets.count }

  /// Adds octets that follow.
  mutating func append(_ more: [UInt8]) {
    octets += more
    end = octets.count
  }

  /// Keeps fields that are not complete, to go on with them when more octets follow.
  ///
  /// - Parameter start: The beginning of what has to be read again.
  mutating func suspend(_ fields: UnfinishedFields, at start: Int) {
    // Fields inside have moved to their own beginning.
    if unfinished.isEmpty { position = start }
    unfinished.append(fields)
  }

  /// The fields to go on with; nil for those that begin here.
  mutating func resume() -> UnfinishedFields? { isOpen ? unfinished.popLast() : nil }

  /// Defers a check that needs all octets; false where they are all there.
  mutating func defersCheck() -> Bool {
    if isOpen { hasOpenChecks = true }
    return isOpen
  }

  /// Records that the fields need so many octets.
  private mutating func needs(_ count: Int) { if isOpen { needed = count } }

  /// Finds an octet between the position and the end.
  ///
  /// - Parameter searched: The end of the octets that are known to be others.
  /// - Returns: The number of octets before it; nil if it is not there.
  mutating func count(before octet: UInt8, searched: Int) -> Int? {
    let found = octets[max(searched, position)..<end].firstIndex(of: octet)
    if found == nil { needs(end + 1) }
    return found.map { $0 - position }
  }

  var isAtEnd: Bool { remaining == 0 }
  var remaining: Int { end - position }

  /// The octets from the position on, including those after the end of the record.
  var rest: [UInt8] { Array(octets[position...]) }

  /// Counts a field.
  mutating func visit(_ field: String) throws(ValueError) {
    visited += 1
    guard visited <= Self.mostVisited else {
      throw ValueError(
        field: field, octet: position,
        problem: "the value has more than \(Self.mostVisited) fields",
        isOutOfRange: true
      )
    }
  }

  /// Counts the fields that were read in a part of the octets.
  mutating func count(fieldsOf part: OctetReader) { visited = part.visited }

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
  mutating func bytes(_ count: Int, _ field: String) throws(ValueError) -> ArraySlice<UInt8> {
    guard remaining >= count else {
      needs(position + count)
      throw ValueError(
        field: field, octet: position, problem: ValueError.length(count, found: remaining)
      )
    }
    defer { position += count }
    return octets[position..<(position + count)]
  }

  /// Reads an unsigned number, least significant octet first.
  mutating func unsigned(_ count: Int, _ field: String) throws(ValueError) -> UInt64 {
    try bytes(count, field).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Moves to a position before the end of the fields.
  mutating func move(to position: Int, _ field: String) throws(ValueError) {
    guard position <= end else {
      needs(position)
      let problem = ValueError.length(position - self.position, found: remaining)
      throw ValueError(field: field, octet: self.position, problem: problem)
    }
    self.position = position
  }

  /// Reads the octets of a number in its order.
  mutating func word(_ number: WireNumber, _ field: String) throws(ValueError) -> UInt64 {
    guard number.isBigEndian else { return try unsigned(number.octets, field) }
    return try bytes(number.octets, field).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The octets up to the end of the fields, whose offsets they keep.
  mutating func part(_ count: Int, _ field: String) throws(ValueError) -> OctetReader {
    let start = position
    _ = try bytes(count, field)
    var part = OctetReader(octets, start..<position)
    part.visited = visited
    return part
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
    let rest = try bytes(remaining, field)
    // Some devices pad their strings with NULs.
    let content = rest.prefix { $0 != 0 }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ValueError(field: field, octet: start, problem: "invalid UTF-8", isOutOfRange: true)
    }
    return text
  }
}
