// Encoding of one field.

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
