// The keys of descriptions, with one line about each: readers, schemas and tables are made of them.

/// A key of an entry of `names` that describes a value.
package enum EntryKey: String, CaseIterable, Sendable {
  case uuid
  case serviceData = "service-data"
  case manufacturer, fields, format, exact, pieces, examples

  package var documentation: String {
    switch self {
    case .uuid: "the attribute whose values these are"
    case .serviceData: "the UUID of the service whose advertised data these are"
    case .manufacturer: "the company, 0x0702, whose advertised data these are"
    case .fields: "the fields of the value, in the order of its bytes"
    case .format: "the format of a value without fields, with the keys of a field beside it"
    case .exact: "whether bytes behind the fields are an error"
    case .pieces: "whether one value comes in several notifications"
    case .examples: "bytes with the value that they mean, or the error"
    }
  }
}

/// A key of a field.
package enum FieldKey: String, CaseIterable, Sendable {
  // Entries without a name begin with one of these.
  case fields, `switch`, pad
  case padTo = "pad-to"
  case constant = "is"

  case name, format, cases, size, repeats = "repeat", scale, offset, unit, names, special, unknown
  case bits, when, optional, checksum, over, range, closed, decimals, terminator
  case exponent, negative, sign, since, at

  /// The keys with which an entry without a name begins.
  static let nameless: [FieldKey] = [.fields, .switch, .pad, .padTo, .constant]

  package var documentation: String {
    switch self {
    case .fields: "fields in place of this entry, under its `when`"
    case .switch: "the expression that chooses one of the `cases`"
    case .pad: "a number of bytes without a meaning, or `end`"
    case .padTo: "bytes without a meaning up to this offset"
    case .constant:
      "bytes in hexadecimal digits that must be there; of a field, a number or an expression"
    case .name: "the name, in the long form"
    case .format: "the format, in the long form"
    case .cases: "for each value of `switch` its fields or format; `else` for all others"
    case .size:
      "the number of bytes: a number, an expression, or the format of a number before them"
    case .repeats: "how many values follow: as of `size`, or `end`"
    case .scale: "the value of one step: 0.01, 1/256"
    case .offset: "the value of the number 0"
    case .unit: "the unit, for people; % and °C have ranges"
    case .names: "names of numbers or of ranges of numbers; of a group of bits, for each"
    case .special: "numbers that are no quantities, and their text"
    case .unknown: "a number that means unknown, or several"
    case .bits: "the fields in a word: the bit, 4..5, or a mapping with `at`"
    case .when: "the expression that says whether the field is there"
    case .optional: "whether the field is there only if bytes are left"
    case .checksum: "the checksum that the field is: sum8, crc16/modbus, or its parameters"
    case .over: "the field, or the first and the last one, of which the checksum is"
    case .range: "the smallest and the largest valid value"
    case .closed: "whether a number without a name is an error"
    case .decimals: "how many decimals are shown"
    case .terminator: "the byte that ends a text or bytes"
    case .exponent: "the power of ten of the number, an expression: -decimals"
    case .negative: "whether the number is negative, an expression: flags.negative"
    case .sign: "`magnitude` for a number whose highest bit is its sign"
    case .at: "the offset of the field in its group; the next field follows it"
    case .since: "the instant from which the seconds are counted: 1970-01-01"
    }
  }
}

/// A key of bits in a word; the others are those of a field with a number.
package enum BitsKey: String, CaseIterable, Sendable {
  case at, sign, scale, offset, unit, names, special, unknown, range, closed, decimals

  package var documentation: String {
    switch self {
    case .at: "the bit or the bits, 4..5, from bit 0"
    case .sign:
      "`two` for a number in two's complement, `magnitude` for one whose highest bit is the sign"
    case .scale: FieldKey.scale.documentation
    case .offset: FieldKey.offset.documentation
    case .unit: FieldKey.unit.documentation
    case .names: FieldKey.names.documentation
    case .special: FieldKey.special.documentation
    case .unknown: FieldKey.unknown.documentation
    case .range: FieldKey.range.documentation
    case .closed: FieldKey.closed.documentation
    case .decimals: FieldKey.decimals.documentation
    }
  }
}

/// A key of the parameters of a checksum.
package enum ChecksumKey: String, CaseIterable, Sendable {
  case sum, xor, crc, poly, initial = "init", refin, refout, xorout, negate, invert, every, first

  package var documentation: String {
    switch self {
    case .sum: "the number of bits of a sum"
    case .xor: "the number of bits of an exclusive or"
    case .crc: "the number of bits of a CRC"
    case .poly: "the polynomial"
    case .initial: "the first register"
    case .refin: "whether the bits of each byte are reflected"
    case .refout: "whether the bits of the result are reflected"
    case .xorout: "the bits that are inverted in the result"
    case .negate: "whether the result is negated"
    case .invert: "whether the bits of the result are inverted"
    case .every: "every how many bytes count"
    case .first: "the first byte that counts"
    }
  }
}

/// The formats of fields.
package enum FieldWord {
  /// The numbers of bits of whole numbers.
  private static let widths = [8, 16, 24, 32, 40, 48, 56, 64]
  private static let others = [
    "f16", "f32", "f64", "f16be", "f32be", "f64be", "medfloat", "medfloat16", "bool", "datetime",
    "address", "utf8", "bytes",
  ]

  /// The names of all formats.
  package static let names =
    ["u", "i"].flatMap { sign in
      widths.map { "\(sign)\($0)" } + widths.dropFirst().map { "\(sign)\($0)be" }
    } + others

  /// The words of other programs, by what they begin with.
  private static let synonyms = [
    ("uint", "u"), ("sint", "i"), ("int", "i"), ("string", "utf8"), ("text", "utf8"),
    ("hex", "bytes"), ("boolean", "bool"), ("float", "f32"), ("double", "f64"), ("mac", "address"),
  ]

  /// The integer with a name such as `u16be`; nil for other formats.
  static func integer(_ name: String) -> (bits: Int, isSigned: Bool, isBigEndian: Bool)? {
    let isBigEndian = name.hasSuffix("be")
    let digits = name.dropFirst().dropLast(isBigEndian ? 2 : 0)
    guard names.contains(name), name.hasPrefix("u") || name.hasPrefix("i"), let bits = Int(digits),
      widths.contains(bits)
    else { return nil }
    return (bits, name.hasPrefix("i"), isBigEndian)
  }

  /// The format with a name other than those of integers; nil for an unknown name.
  static func format(_ name: String) -> FieldFormat? {
    switch name {
    case "f16", "f32", "f64": .real(octets: (Int(name.dropFirst()) ?? 0) / 8, isBigEndian: false)
    case "f16be", "f32be", "f64be":
      .real(octets: (Int(name.dropFirst().dropLast(2)) ?? 0) / 8, isBigEndian: true)
    case "medfloat": .float
    case "medfloat16": .sfloat
    case "bool": .boolean
    case "datetime": .dateTime
    case "address": .address
    case "utf8": .text
    case "bytes": .rest
    // open: the name of a format in a file
    default: nil
    }
  }

  /// The format that a word of another program means; nil for other words.
  static func meant(by word: String) -> String? {
    let word = word.lowercased()
    for (synonym, name) in synonyms where word.hasPrefix(synonym) {
      let rest = word.dropFirst(synonym.count).filter { $0 != "_" && $0 != "t" && $0 != "l" }
      let meant = name.count == 1 ? name + rest : name
      if names.contains(meant) { return meant }
    }
    return nil
  }
}
