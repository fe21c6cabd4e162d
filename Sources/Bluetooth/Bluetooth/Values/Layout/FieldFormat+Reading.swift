// Decoding of one field.

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
