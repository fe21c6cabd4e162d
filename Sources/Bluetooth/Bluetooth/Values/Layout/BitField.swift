// Fields that share the octets of a word.

import Spelling

/// A range of bits in a word, and its meaning.
struct BitField: Sendable {
  enum Meaning: Sendable {
    case boolean
    case number
    case named(Names)
    /// A number of a description: with steps, a sign, or numbers that are not quantities.
    case quantity(WireNumber)
  }

  let name: String
  let bits: Range<UInt64>
  let meaning: Meaning
  let unit: String?
  /// The values that are allowed; nil if every value that can be sent is.
  var range: ClosedRange<Double>?

  static func flag(_ name: String, _ bit: UInt64) -> BitField {
    BitField(name: name, bits: bit..<bit + 1, meaning: .boolean, unit: nil)
  }

  static func number(_ name: String, _ bits: Range<UInt64>, _ unit: String? = nil) -> BitField {
    BitField(name: name, bits: bits, meaning: .number, unit: unit)
  }

  /// Bits with names for the numbers from 0.
  static func choice(_ name: String, _ bits: Range<UInt64>, _ names: [String]) -> BitField {
    BitField(name: name, bits: bits, meaning: .named(Names(names)), unit: nil)
  }

  static func choice(
    _ name: String, _ bits: Range<UInt64>, _ names: KeyValuePairs<UInt64, String>
  ) -> BitField {
    BitField(name: name, bits: bits, meaning: .named(Names(names)), unit: nil)
  }

  /// One field for each bit, from bit 0.
  static func flags(_ names: [String]) -> [BitField] {
    names.enumerated().map { .flag($0.element, UInt64($0.offset)) }
  }

  /// Whether the field may be omitted in encoding: its bit is then 0.
  var isOptional: Bool { if case .boolean = meaning { true } else { false } }

  var mask: UInt64 { largest << bits.lowerBound }
  var largest: UInt64 { bits.count == 64 ? .max : (1 << UInt64(bits.count)) - 1 }

  /// - Parameter octet: The offset of the word, for errors.
  func field(in word: UInt64, at octet: Int) throws(ValueError) -> DecodedValue.Field {
    let number = word >> bits.lowerBound & largest
    let value: DecodedValue =
      switch meaning {
      case .boolean: .boolean(number != 0)
      case .number: .integer(Int128(number))
      case .named(let names): .text(try names.name(number, of: name, at: octet))
      case .quantity(let quantity): quantity.value(number)
      }
    try value.check(in: range, name, at: octet)
    return DecodedValue.Field(name, value, unit: unit)
  }

  /// The bits of a value, shifted to their position in the word.
  func bits(_ value: DecodedValue) throws(ValueError) -> UInt64 {
    let number: UInt64? =
      switch meaning {
      case .boolean: value.truth.map { $0 ? 1 : 0 }
      case .number:
        if case .integer(let integer)? = value.numeric { UInt64(exactly: integer) } else { nil }
      case .named(let names): names.number(value.description)
      case .quantity(let quantity): try quantity.bits(value, name) & largest
      }
    guard let number, number <= largest else { throw problem(with: value) }
    return number << bits.lowerBound
  }

  private func problem(with value: DecodedValue) -> ValueError {
    if case .named(let names) = meaning { return names.problem(value, name) }
    return ValueError(field: name, octet: 0, problem: "'\(value)' cannot be sent")
  }
}

extension Names {
  /// The error of a text that is not one of the names.
  func problem(_ value: DecodedValue, _ field: String) -> ValueError {
    let nearest = Spelling.nearest(to: value.description, among: all)
    let hint = nearest.map { " (did you mean '\($0)'?)" } ?? ""
    // A list of assigned numbers is too long for a message.
    let names = all.count > 20 ? "" : "; names of \(field): \(all.joined(separator: ", "))"
    return ValueError(
      field: field, octet: 0, problem: "unknown name '\(value)'\(hint)\(names)"
    )
  }
}

extension DecodedValue {
  /// The truth value, also one that is written as a text or as 0 or 1; nil for other values.
  var truth: Bool? {
    switch self {
    case .boolean(let truth): truth
    case .integer(0): false
    case .integer(1): true
    case .text(let text):
      ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][text]
    case .integer, .real, .octets, .list, .fields: nil
    }
  }

  /// The number, also one that is written as a text; nil for other values.
  var numeric: DecodedValue? {
    switch self {
    case .integer, .real: self
    case .text(let text): DecodedValue(number: text)
    case .boolean, .octets, .list, .fields: nil
    }
  }
}
