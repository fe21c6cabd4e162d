// Fields that share the octets of a word.

/// A range of bits in a word, and its meaning.
struct BitField: Sendable {
  enum Meaning: Sendable {
    case boolean
    case number
    case named(Names)
  }

  let name: String
  let bits: Range<UInt64>
  let meaning: Meaning
  let unit: String?

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
  var largest: UInt64 { (1 << UInt64(bits.count)) - 1 }

  /// - Parameter octet: The offset of the word, for errors.
  func field(in word: UInt64, at octet: Int) throws(ValueError) -> DecodedValue.Field {
    let number = word >> bits.lowerBound & largest
    let value: DecodedValue =
      switch meaning {
      case .boolean: .boolean(number != 0)
      case .number: .integer(Int128(number))
      case .named(let names): .text(try names.name(number, of: name, at: octet))
      }
    return DecodedValue.Field(name, value, unit: unit)
  }

  /// The bits of a value, shifted to their position in the word.
  func bits(_ value: DecodedValue) throws(ValueError) -> UInt64 {
    let number: UInt64? =
      switch (meaning, value) {
      case (.boolean, .boolean(let isSet)): isSet ? 1 : 0
      case (.number, .integer(let integer)): UInt64(exactly: integer)
      case (.named(let names), .text(let text)): names.number(text)
      case (.boolean, _), (.number, _), (.named, _): nil
      }
    guard let number, number <= largest else {
      throw ValueError(field: name, octet: 0, problem: "'\(value)' cannot be sent")
    }
    return number << bits.lowerBound
  }
}
