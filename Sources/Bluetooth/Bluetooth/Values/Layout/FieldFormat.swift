// The format of one field of a standard value.
//
// Formats that users name, such as `u16`, are `ValueFormat`.

/// The format of a field. Numbers are little-endian.
enum FieldFormat: Sendable {
  /// A whole number of steps.
  case number(WireNumber)
  /// IEEE 11073 FLOAT.
  case float
  /// IEEE 11073 SFLOAT.
  case sfloat
  /// A named number of `octets`.
  case named(octets: Int, Names)
  /// Flags, printed as a list of the names of those that are set.
  case bits(octets: Int, [String?])
  /// One octet: 0 is no, anything else is yes.
  case boolean
  /// Year, month, day, hour, minute and second in seven octets.
  case dateTime
  /// UTF-8 to the end.
  case text
  /// This many octets, as they are.
  case octets(Int)
  /// The first half of the octets to the end.
  case half
  /// The octets to the end, as they are.
  case rest
  /// Values of one format, to the end.
  indirect case list(FieldFormat)

  static let u8 = FieldFormat.number(WireNumber(1))
  static let u16 = FieldFormat.number(WireNumber(2))
  static let u24 = FieldFormat.number(WireNumber(3))
  static let u32 = FieldFormat.number(WireNumber(4))
  static let i8 = FieldFormat.number(WireNumber(1, signed: true))
  static let i16 = FieldFormat.number(WireNumber(2, signed: true))

  /// An unsigned number in steps of `step` / `over`; `meanings` are for numbers that are not
  /// quantities.
  static func unsigned(
    _ octets: Int, step: Int64 = 1, over: Int64 = 1, _ meanings: KeyValuePairs<Int64, String> = [:]
  ) -> FieldFormat {
    .number(WireNumber(octets, step: step, over: over, meanings: meanings))
  }

  /// A signed number in steps of `step` / `over`.
  static func signed(
    _ octets: Int, step: Int64 = 1, over: Int64 = 1, _ meanings: KeyValuePairs<Int64, String> = [:]
  ) -> FieldFormat {
    .number(WireNumber(octets, signed: true, step: step, over: over, meanings: meanings))
  }

  /// One octet with a name for each number from 0.
  static func named(_ names: [String]) -> FieldFormat { .named(octets: 1, Names(names)) }

  /// One octet with names for some numbers; of an open list, others are `reserved (n)`.
  static func named(_ names: KeyValuePairs<UInt64, String>, isOpen: Bool = false) -> FieldFormat {
    .named(octets: 1, Names(names, isOpen: isOpen))
  }
}

extension FieldFormat {
  /// Reads the octets of one field and decodes them.
  func read(_ reader: inout OctetReader, _ field: String) throws(ValueError) -> DecodedValue {
    switch self {
    case .number(let number):
      return number.value(try reader.unsigned(number.octets, field))
    case .float:
      return MedicalFloat.decoded(UInt32(try reader.unsigned(4, field)))
    case .sfloat:
      return MedicalFloat.decodedShort(try reader.uint16(field))
    case .named(let count, let names):
      let start = reader.position
      return .text(try names.name(try reader.unsigned(count, field), of: field, at: start))
    case .bits(let count, let names):
      let word = try reader.unsigned(count, field)
      return .list(Self.setBits(word, count, names).map { .text($0) })
    case .boolean:
      return .boolean(try reader.byte(field) != 0)
    case .dateTime:
      return .text(try DateTime(&reader, field).description)
    case .text:
      return .text(try reader.text(field))
    case .octets(let count):
      return .octets(Array(try reader.take(count, field)))
    case .half:
      guard reader.remaining.isMultiple(of: 2) else {
        let problem = "expected an even number of bytes, found \(reader.remaining)"
        throw ValueError(field: field, octet: reader.position, problem: problem)
      }
      return .octets(Array(try reader.take(reader.remaining / 2, field)))
    case .rest:
      return .octets(Array(try reader.take(reader.remaining, field)))
    case .list(let format):
      var values: [DecodedValue] = []
      while !reader.isAtEnd { values.append(try format.read(&reader, field)) }
      return .list(values)
    }
  }

  /// The names of the bits that are set; `bit n` where a bit has none.
  private static func setBits(_ word: UInt64, _ octets: Int, _ names: [String?]) -> [String] {
    (0..<8 * octets).filter { word >> UInt64($0) & 1 == 1 }.map { bit in
      (names.indices.contains(bit) ? names[bit] : nil) ?? "bit \(bit)"
    }
  }
}

extension FieldFormat {
  /// Appends the octets of one field.
  ///
  /// - Throws: ``ValueError`` when the value does not have this format.
  func write(
    _ value: DecodedValue, _ writer: inout OctetWriter, _ field: String
  ) throws(ValueError) {
    func problem(_ expected: String) -> ValueError {
      ValueError(field: field, octet: 0, problem: "'\(value)' is not \(expected)")
    }
    switch self {
    case .number(let number):
      writer.append(try number.bits(value, field), octets: number.octets)
    case .float:
      guard let bits = MedicalFloat.bits(value) else { throw problem("a FLOAT") }
      writer.append(UInt64(bits), octets: 4)
    case .sfloat:
      guard let bits = MedicalFloat.shortBits(value) else { throw problem("an SFLOAT") }
      writer.append(UInt64(bits), octets: 2)
    case .named(let count, let names):
      guard let number = names.number(value.description), number < 1 << UInt64(8 * count) else {
        throw problem("a known name")
      }
      writer.append(number, octets: count)
    case .bits(let count, let names):
      guard case .list(let values) = value else { throw problem("a list") }
      writer.append(try Self.word(values, count, names, field), octets: count)
    case .boolean:
      guard case .boolean(let isSet) = value else { throw problem("yes or no") }
      writer.append([isSet ? 1 : 0])
    case .dateTime:
      guard let time = DateTime(value.description) else { throw problem("a date and time") }
      writer.append(time.octets)
    case .text:
      guard case .text(let text) = value else { throw problem("a text") }
      writer.append(Array(text.utf8))
    case .octets(let count):
      guard case .octets(let octets) = value, octets.count == count else {
        throw problem("\(count) bytes")
      }
      writer.append(octets)
    case .half, .rest:
      guard case .octets(let octets) = value else { throw problem("bytes") }
      writer.append(octets)
    case .list(let format):
      guard case .list(let values) = value else { throw problem("a list") }
      for value in values { try format.write(value, &writer, field) }
    }
  }

  private static func word(
    _ values: [DecodedValue], _ octets: Int, _ names: [String?], _ field: String
  ) throws(ValueError) -> UInt64 {
    var word: UInt64 = 0
    for value in values {
      let text = value.description
      let bit =
        names.firstIndex { $0 == text }
        ?? (text.hasPrefix("bit ") ? Int(text.dropFirst(4)) : nil)
      guard let bit, (0..<8 * octets).contains(bit) else {
        throw ValueError(field: field, octet: 0, problem: "unknown name '\(text)'")
      }
      word |= 1 << UInt64(bit)
    }
    return word
  }
}
