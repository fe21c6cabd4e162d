// The format of one field of a standard value.
//
// Formats that users name, such as `u16`, are `ValueFormat`.

/// The number of octets or of values in a field.
enum FieldCount: Sendable {
  case fixed(Int)
  case expression(FieldExpression)
  /// A number in front of them.
  case preceding(WireNumber)

  /// Reads the number, or takes it from the fields before.
  func read(
    _ reader: inout OctetReader, _ field: String, _ scope: FieldScope?
  ) throws(ValueError) -> Int {
    switch self {
    case .fixed(let count): return count
    case .expression(let expression):
      return try expression.count(in: scope ?? FieldScope(inside: nil), field, at: reader.position)
    case .preceding(let number):
      let start = reader.position
      let word = try reader.word(number, field)
      guard let count = Int(exactly: word), count <= 0xffff else {
        throw ValueError(
          field: field, octet: start, problem: "\(word) is too many", isOutOfRange: true
        )
      }
      return count
    }
  }
}

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
  /// A named number of a description.
  case enumeration(WireNumber, Names)
  /// A word of a description whose bits are the fields of a group.
  case word(WireNumber, [BitField])
  /// IEEE 754 in 2, 4 or 8 octets.
  case real(octets: Int, isBigEndian: Bool)
  /// The address of a device in six octets, the last one first.
  case address
  /// Octets or text up to an octet that ends them.
  case terminated(UInt8, isText: Bool)
  /// A format that takes exactly so many octets.
  indirect case sized(FieldCount, FieldFormat)
  /// Values of one format, so many.
  indirect case repeated(FieldCount, FieldFormat)
  /// A number whose power of ten or whose sign other fields have.
  case adjusted(WireNumber, NumberAdjustment)
  /// A number of seconds since an instant, which is a date and time.
  case moment(WireNumber, since: Int128)
  /// The fields of a group.
  case layout(ValueLayout)

  /// The most values in a list.
  static let longestList = 4096

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
  ///
  /// - Parameter scope: The fields that expressions of a description may name.
  func read(
    _ reader: inout OctetReader, _ field: String, _ scope: FieldScope? = nil
  ) throws(ValueError) -> DecodedValue {
    switch self {
    case .number(let number):
      return number.value(try reader.word(number, field))
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
      return .octets(Array(try reader.bytes(count, field)))
    case .half:
      guard reader.remaining.isMultiple(of: 2) else {
        let problem = "expected an even number of bytes, found \(reader.remaining)"
        throw ValueError(field: field, octet: reader.position, problem: problem)
      }
      return .octets(Array(try reader.bytes(reader.remaining / 2, field)))
    case .rest:
      return .octets(Array(try reader.bytes(reader.remaining, field)))
    case .list(let format):
      var values: [DecodedValue] = []
      while !reader.isAtEnd { try format.append(&values, &reader, field, scope) }
      return .list(values)
    case .enumeration(let number, let names):
      let start = reader.position
      let word = try reader.word(number, field)
      if number.isSigned, names.isOpen, names.known(word) == nil {
        return .text(Names.reserved("\(number.value(word))"))
      }
      return .text(try names.name(word, of: field, at: start))
    case .word(let number, let bitFields):
      let start = reader.position
      let word = try reader.word(number, field)
      var fields: [DecodedValue.Field] = []
      fields.reserveCapacity(bitFields.count)
      for bits in bitFields { fields.append(try bits.field(in: word, at: start)) }
      return .fields(fields)
    case .real(let count, let isBigEndian):
      let octets = Array(try reader.bytes(count, field))
      return Self.real(isBigEndian ? octets.reversed() : octets)
    case .address:
      let octets = try reader.bytes(6, field).reversed()
      return .text(octets.map { hexadecimal($0).uppercased() }.joined(separator: ":"))
    case .terminated(let terminator, let isText):
      let start = reader.position
      var searched = start
      if case .searched(let end)? = reader.resume() { searched = end }
      guard let end = reader.count(before: terminator, searched: searched) else {
        if reader.isShort { reader.suspend(.searched(start + reader.remaining), at: start) }
        let shown = DecodedValue.octets([terminator])
        throw ValueError(field: field, octet: start, problem: "no \(shown) ends it")
      }
      var part = try reader.part(end, field)
      _ = try reader.bytes(1, field)
      return isText ? .text(try part.text(field)) : .octets(Array(try part.bytes(end, field)))
    case .sized(let count, let format):
      let count = try count.read(&reader, field, scope)
      var part = try reader.part(count, field)
      let value = try format.read(&part, field, scope)
      reader.count(fieldsOf: part)
      if part.isAtEnd { return value }
      let (start, rest) = (part.position, Array(try part.bytes(part.remaining, field)))
      guard case .fields(let fields) = value else {
        let bytes = rest.count == 1 ? "byte" : "bytes"
        throw ValueError(
          field: field, octet: start, problem: "\(rest.count) \(bytes) of its size left over",
          isOutOfRange: true
        )
      }
      return .fields(fields + [.init(DecodedValue.further, .octets(rest))])
    case .repeated(let count, let format):
      return .list(try format.values(count, &reader, field, scope))
    case .adjusted(let number, let adjustment):
      let start = reader.position
      let value = number.value(try reader.word(number, field))
      return try adjustment.applied(to: value, field, at: start, scope)
    case .moment(let number, let epoch):
      let value = number.value(try reader.word(number, field))
      return CalendarTime.text(of: value, since: epoch) ?? value
    case .layout(let layout):
      return try layout.value(&reader, inside: scope)
    }
  }

  /// Reads so many values of this format, or goes on where octets were missing.
  private func values(
    _ count: FieldCount, _ reader: inout OctetReader, _ field: String, _ scope: FieldScope?
  ) throws(ValueError) -> [DecodedValue] {
    var values: [DecodedValue] = []
    let wanted: Int
    var begun: Int?
    if case .values(let read, let count, let start)? = reader.resume() {
      (values, wanted, begun) = (read, count, start)
    } else {
      let start = reader.position
      wanted = try count.read(&reader, field, scope)
      guard wanted <= Self.longestList else {
        throw ValueError(
          field: field, octet: start, problem: "\(wanted) values are too many", isOutOfRange: true
        )
      }
    }
    while values.count < wanted {
      let start = begun ?? reader.position
      do {
        try append(&values, &reader, field, scope, begun: begun)
        begun = nil
      } catch {
        if reader.isShort {
          reader.suspend(.values(values, count: wanted, start: start), at: start)
        }
        throw error
      }
    }
    return values
  }

  /// Reads one value of a list. One without octets would never end the list.
  ///
  /// - Parameter begun: The beginning of a value that was not complete.
  private func append(
    _ values: inout [DecodedValue], _ reader: inout OctetReader, _ field: String,
    _ scope: FieldScope?, begun: Int? = nil
  ) throws(ValueError) {
    let start = begun ?? reader.position
    if begun == nil { try reader.visit(field) }
    values.append(try read(&reader, field, scope))
    guard reader.position > start, values.count <= Self.longestList else {
      let problem = reader.position > start ? "too many values" : "a value without bytes"
      throw ValueError(field: field, octet: start, problem: problem, isOutOfRange: true)
    }
  }

  /// The number in octets, the least significant first.
  private static func real(_ octets: [UInt8]) -> DecodedValue {
    let bits = octets.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    switch octets.count {
    case 2: return .real(HalfPrecision.value(UInt16(truncatingIfNeeded: bits)), decimals: 3)
    case 4:
      let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
      // The shortest digits: 26.1, not 26.100000381469727.
      return .real(Double("\(float)") ?? Double(float), decimals: 3)
    default: return .real(Double(bitPattern: bits), decimals: 6)
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
    _ value: DecodedValue, _ writer: inout OctetWriter, _ field: String, _ scope: FieldScope? = nil
  ) throws(ValueError) {
    func problem(_ expected: String) -> ValueError {
      ValueError(field: field, octet: 0, problem: "'\(value)' is not \(expected)")
    }
    switch self {
    case .number(let number):
      writer.append(try number.bits(value, field), number)
    case .float:
      guard let bits = MedicalFloat.bits(value.numeric ?? value) else { throw problem("a FLOAT") }
      writer.append(UInt64(bits), octets: 4)
    case .sfloat:
      guard let bits = MedicalFloat.shortBits(value.numeric ?? value) else {
        throw problem("an SFLOAT")
      }
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
      guard let isSet = value.truth else { throw problem("yes or no") }
      writer.append([isSet ? 1 : 0])
    case .dateTime:
      guard let time = DateTime(value.description) else { throw problem("a date and time") }
      writer.append(time.octets)
    case .text:
      guard case .text(let text) = value else { throw problem("a text") }
      writer.append(Array(text.utf8))
    case .octets(let count):
      guard let octets = value.octetsOrDigits, octets.count == count else {
        throw problem("\(count) bytes")
      }
      writer.append(octets)
    case .half, .rest:
      guard let octets = value.octetsOrDigits else { throw problem("bytes") }
      writer.append(octets)
    case .list(let format):
      guard let values = value.elements else { throw problem("a list") }
      for value in values { try format.write(value, &writer, field, scope) }
    case .enumeration(let number, let names):
      guard let word = names.word(value, number) else { throw names.problem(value, field) }
      writer.append(word, number)
    case .word(let number, let bitFields):
      guard case .fields(let fields) = value else {
        guard case .integer(let whole)? = value.numeric, let word = UInt64(exactly: whole),
          WireNumber.limits(bits: number.bits, isSigned: false).contains(whole)
        else { throw problem("a group of \(bitFields.map(\.name).joined(separator: ", "))") }
        writer.append(word, number)
        return
      }
      writer.append(try BitField.word(fields, bitFields, in: field), number)
    case .real(let count, let isBigEndian):
      guard let number = value.numeric?.number else { throw problem("a number") }
      let bits: UInt64 =
        switch count {
        case 2: UInt64(HalfPrecision.bits(number))
        case 4: UInt64(Float(number).bitPattern)
        default: number.bitPattern
        }
      var octets = OctetWriter()
      octets.append(bits, octets: count)
      writer.append(isBigEndian ? octets.octets.reversed() : octets.octets)
    case .address:
      guard let address = BluetoothAddress(value.description),
        let octets = Self.octets(written: "\(address)")
      else { throw problem("an address") }
      writer.append(octets.reversed())
    case .terminated(let terminator, let isText):
      var content = OctetWriter()
      try (isText ? FieldFormat.text : .rest).write(value, &content, field)
      guard !content.octets.contains(terminator) else {
        throw problem("without \(DecodedValue.octets([terminator])), which ends it")
      }
      writer.append(content.octets + [terminator])
    case .sized(let count, let format):
      try format.write(value, sizedBy: count, &writer, field, scope)
    case .repeated(let count, let format):
      guard let values = value.elements else { throw problem("a list") }
      switch count {
      case .preceding(let number):
        writer.append(try number.bits(.integer(Int128(values.count)), field), number)
      case .fixed, .expression:
        let wanted = try Self.count(count, field, scope)
        guard wanted == values.count else {
          throw problem("\(wanted) value\(wanted == 1 ? "" : "s")")
        }
      }
      for value in values { try format.write(value, &writer, field, scope) }
    case .adjusted(let number, let adjustment):
      let raw = try adjustment.removed(from: value, field, scope)
      writer.append(try number.bits(raw, field), number)
    case .moment(let number, let epoch):
      let seconds = CalendarTime.seconds(in: value.description).map { $0 - epoch }
      writer.append(try number.bits(seconds.map { .integer($0) } ?? value, field), number)
    case .layout(let layout):
      do {
        if layout.isDescribed {
          try layout.write(value, &writer, FieldScope(inside: scope))
        } else {
          writer.append(try layout.encode(value))
        }
      } catch {
        throw ValueError(field: "\(field).\(error.field)", octet: 0, problem: error.problem)
      }
    }
  }

  private static func count(
    _ count: FieldCount, _ field: String, _ scope: FieldScope?
  ) throws(ValueError) -> Int {
    var nothing = OctetReader([])
    return try count.read(&nothing, field, scope)
  }

  /// Appends a value that takes exactly so many octets. Texts and groups are filled up with zeros.
  private func write(
    _ value: DecodedValue, sizedBy count: FieldCount, _ writer: inout OctetWriter, _ field: String,
    _ scope: FieldScope?
  ) throws(ValueError) {
    let start = writer.octets.count
    if case .preceding(let number) = count {
      writer.append(0, number)
      try write(value, &writer, field, scope)
      let size = writer.octets.count - start - number.octets
      var scratch = OctetWriter()
      scratch.append(try number.bits(.integer(Int128(size)), field), number)
      writer.replace(at: start, with: scratch.octets)
      return
    }
    let wanted = try Self.count(count, field, scope)
    try write(value, &writer, field, scope)
    let size = writer.octets.count - start
    guard size <= wanted, size == wanted || isFilledUp else {
      let problem = ValueError.length(wanted, found: size)
      throw ValueError(field: field, octet: 0, problem: problem)
    }
    writer.append([UInt8](repeating: 0, count: wanted - size))
  }

  /// Whether zeros may follow it in a field of fixed size.
  private var isFilledUp: Bool {
    switch self {
    case .text, .layout: true
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .octets, .half, .rest, .list,
      .enumeration, .word, .real, .address, .terminated, .sized, .repeated, .adjusted, .moment:
      false
    }
  }

  /// The octets of hexadecimal digits, with spaces or colons between them; nil for other texts.
  static func octets(written text: String) -> [UInt8]? { try? ValueFormat("hex")?.encode(text) }

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

extension DecodedValue {
  /// The values of a list, also those of a text with commas between them; nil for other values.
  var elements: [DecodedValue]? {
    switch self {
    case .list(let values): values
    case .text(""): []
    case .text(let text): text.split(separator: ",").map { .text(String($0)) }
    case .integer, .real, .boolean, .octets, .fields: nil
    }
  }

  /// The octets, also those that are written as hexadecimal digits; nil for other values.
  fileprivate var octetsOrDigits: [UInt8]? {
    switch self {
    case .octets(let octets): octets
    case .text(let text): FieldFormat.octets(written: text)
    case .integer, .real, .boolean, .list, .fields: nil
    }
  }
}

extension Names {
  /// The word of a name; that of a negative number without a name is its two's complement.
  fileprivate func word(_ value: DecodedValue, _ number: WireNumber) -> UInt64? {
    let text = value.description
    if let word = self.number(text), Int128(word) < 1 << Int128(number.bits) { return word }
    guard let whole = DecodedValue(number: Names.digits(text)) else { return nil }
    return try? number.bits(whole, "")
  }
}

extension BitField {
  /// The word of a group. Bits that are not given are 0 if they are true or false.
  fileprivate static func word(
    _ given: [DecodedValue.Field], _ fields: [BitField], in group: String
  ) throws(ValueError) -> UInt64 {
    let names = fields.map(\.name)
    if let unknown = given.first(where: { !names.contains($0.name) }) {
      throw ValueError.unknownField(unknown.name, of: group, among: names)
    }
    var word: UInt64 = 0
    for field in fields {
      if let value = given.first(where: { $0.name == field.name })?.value {
        do {
          word |= try field.bits(value)
        } catch {
          throw ValueError(field: "\(group).\(error.field)", octet: 0, problem: error.problem)
        }
      } else if !field.isOptional {
        throw ValueError(field: "\(group).\(field.name)", octet: 0, problem: "missing")
      }
    }
    return word
  }
}

/// Numbers of IEEE 754 in 16 bits, which not every processor has.
enum HalfPrecision {
  static func value(_ bits: UInt16) -> Double {
    let (exponent, fraction) = (Int(bits >> 10 & 0x1f), Double(bits & 0x3ff))
    let sign = bits >> 15 == 0 ? 1.0 : -1.0
    switch exponent {
    case 0: return sign * fraction / 16_777_216
    case 31: return fraction == 0 ? sign * .infinity : .nan
    default: return sign * (1024 + fraction) * power(exponent) / 33_554_432
    }
  }

  /// The nearest number; infinity for one that is too large.
  static func bits(_ value: Double) -> UInt16 {
    let sign: UInt16 = value.sign == .minus ? 0x8000 : 0
    if value.isNaN { return 0x7e00 }
    let size = abs(value)
    if size >= 65520 { return sign | 0x7c00 }
    var exponent = 1
    while exponent < 30, size >= 2048 * power(exponent) / 33_554_432 { exponent += 1 }
    let steps = (size * 33_554_432 / power(exponent)).rounded(.toNearestOrEven)
    // Steps of a number below 1024 are those without the leading 1; a carry goes to the exponent.
    let whole = UInt16(steps)
    return sign | (whole < 1024 ? whole : UInt16(exponent - 1) << 10 + whole)
  }

  private static func power(_ exponent: Int) -> Double { Double(1 << exponent) }
}
