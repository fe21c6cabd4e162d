// Formats of fields: numbers with their attributes, groups, bits, sizes, checksums.

import Spelling

extension DescriptionReader {
  /// Keys that only whole numbers have.
  private static let ofNumbers: [FieldKey] = [
    .scale, .offset, .names, .special, .unknown, .closed, .decimals, .bits, .exponent, .negative,
    .sign, .since,
  ]

  /// Reads the format and the attributes of one field: one part, or an alternative for each case
  /// of a choice.
  mutating func formatted(
    _ name: String, _ format: DescriptionNode, _ node: DescriptionNode, at path: [String],
    formatAt formatPath: [String], _ terms: [FieldCondition.Term], _ known: inout [Known],
    depth: Int
  ) -> [ValuePart] {
    let isOptional = truth(node, FieldKey.optional.rawValue, at: path)
    let offset = offset(node, at: path)
    let unit = node[FieldKey.unit.rawValue]?.text
    let range = range(node, unit, at: path)
    if format.mapping != nil {
      checkKeys(of: format, among: [.switch, .cases], at: formatPath)
      let outer = known
      let parts = cases(of: format, at: formatPath, terms, &known, depth: depth) {
        reader, value, place, terms, known in
        guard
          let inner = reader.plain(
            name, value, node, at: path, formatAt: place, known, depth: depth),
          let complete = reader.counted(inner, node, at: path, known)
        else { return [] }
        let presence = Self.presence(terms, isOptional: isOptional)
        return [ValuePart(name, .field(complete), unit: unit, presence, range: range, at: offset)]
      }
      known = outer + [Known(name: name, format: nil)]
      return parts
    }
    guard
      let inner = plain(name, format, node, at: path, formatAt: formatPath, known, depth: depth),
      let complete = counted(inner, node, at: path, known)
    else {
      known.append(Known(name: name, format: nil))
      return []
    }
    let presence = Self.presence(terms, isOptional: isOptional)
    if let computation = computation(complete, node, at: path, known) {
      known.append(Known(name: name, format: complete))
      return [ValuePart(name, .computed(complete, computation), presence, at: offset)]
    }
    known.append(Known(name: name, format: complete))
    return [ValuePart(name, .field(complete), unit: unit, presence, range: range, at: offset)]
  }

  private mutating func offset(_ node: DescriptionNode, at path: [String]) -> Int? {
    guard let value = node[FieldKey.at.rawValue] else { return nil }
    if let offset = value.whole, (0...Int128(Limit.octets)).contains(offset) { return Int(offset) }
    complain(
      value, expected: "an offset from 0 to \(Limit.octets)", at: path + [FieldKey.at.rawValue]
    )
    return nil
  }

  /// The range of the values: that of the key, and that of the unit.
  private mutating func range(
    _ node: DescriptionNode, _ unit: String?, at path: [String]
  ) -> ClosedRange<Double>? {
    let ofUnit = UnitRange.of(unit)
    guard let given = node[FieldKey.range.rawValue] else { return ofUnit }
    let ends = (given.sequence ?? []).compactMap {
      $0.text.flatMap { DecodedValue(number: $0)?.number }
    }
    guard ends.count == 2, ends[0] <= ends[1] else {
      complain(
        given, expected: "the smallest and the largest value, such as [1, 10]",
        at: path + [FieldKey.range.rawValue]
      )
      return ofUnit
    }
    let own = ends[0]...ends[1]
    return ofUnit.map { own.overlaps($0) ? own.clamped(to: $0) : own } ?? own
  }

  // MARK: One value

  /// The format without `size` and `repeat`.
  private mutating func plain(
    _ name: String, _ format: DescriptionNode, _ node: DescriptionNode, at path: [String],
    formatAt place: [String], _ known: [Known], depth: Int
  ) -> FieldFormat? {
    if format.sequence != nil {
      refuse(Self.ofNumbers + [.terminator], in: node, of: "a group", at: path)
      var inner = known
      let parts = fields(format, at: place, [], &inner, depth: depth + 1)
      return parts.isEmpty ? nil : .layout(ValueLayout(described: name, parts))
    }
    guard let word = format.text, !word.isEmpty else {
      complain(format, expected: "a format such as u16, or a list of fields", at: place)
      return nil
    }
    if let number = FieldWord.integer(word) {
      refuse([.terminator], in: node, of: word, at: path)
      let (bits, isSigned, isBigEndian) = number
      let whole = (bits: bits, isSigned: isSigned, isMagnitude: false, isBigEndian: isBigEndian)
      return integer(word, whole, node, at: path, known)
    }
    if let plain = FieldWord.format(word) {
      refuse(Self.ofNumbers, in: node, of: word, at: path)
      guard let terminator = node[FieldKey.terminator.rawValue] else { return plain }
      guard let octet = terminator.whole.flatMap({ UInt8(exactly: $0) }),
        word == "utf8" || word == "bytes"
      else {
        complain(
          terminator, expected: "a byte such as 0x00, of utf8 or bytes",
          at: path + [FieldKey.terminator.rawValue]
        )
        return nil
      }
      return .terminated(octet, isText: word == "utf8")
    }
    guard let description = self.format(named: word, at: place) else { return nil }
    refuse(Self.ofNumbers + [.terminator], in: node, of: "'\(word)'", at: path)
    guard counts(description.layout, depth: depth, at: place) else { return nil }
    return .layout(description.layout)
  }

  private mutating func refuse(
    _ keys: [FieldKey], in node: DescriptionNode, of owner: String, at path: [String]
  ) {
    for key in keys where node[key.rawValue] != nil {
      complain(
        "'\(key.rawValue)' is not for \(owner)", expected: "it with a whole number such as u16",
        at: path + [key.rawValue], isOfKey: true
      )
    }
  }

  // MARK: Numbers

  private typealias Whole = (bits: Int, isSigned: Bool, isMagnitude: Bool, isBigEndian: Bool)

  private mutating func integer(
    _ word: String, _ whole: Whole, _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> FieldFormat? {
    guard
      let plain = WireNumber(
        bits: whole.bits, isSigned: whole.isSigned, isBigEndian: whole.isBigEndian, scale: .one,
        offset: .zero
      )
    else { return nil }
    if let bits = node[FieldKey.bits.rawValue] {
      refuse(
        [
          .scale, .offset, .special, .unknown, .decimals, .exponent, .negative, .sign, .since,
        ], in: node, of: "a group of bits", at: path)
      return self.bits(bits, word, plain, node, at: path).map { .word(plain, $0) }
    }
    switch meaning(word, whole, node, at: path) {
    case .named(let names): return .enumeration(plain, names)
    case .quantity(let number): return adjusted(number, node, at: path, known)
    case .boolean, .number: return .number(plain)
    case nil: return nil
    }
  }

  /// A number with what other fields or an instant add to it; nil after a problem.
  private mutating func adjusted(
    _ number: WireNumber, _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> FieldFormat? {
    let before = problemCount
    func place(_ key: FieldKey) -> [String] { path + [key.rawValue] }
    let exponent = node[FieldKey.exponent.rawValue].flatMap {
      expression($0, at: place(.exponent), known)
    }
    let negative = node[FieldKey.negative.rawValue].flatMap {
      expression($0, at: place(.negative), known)
    }
    guard let since = node[FieldKey.since.rawValue] else {
      guard problemCount == before else { return nil }
      return exponent == nil && negative == nil
        ? .number(number)
        : .adjusted(number, NumberAdjustment(exponent: exponent, negative: negative))
    }
    if exponent != nil || negative != nil {
      complain("'since' excludes 'exponent' and 'negative'", at: place(.since), isOfKey: true)
    }
    guard let epoch = since.text.flatMap({ CalendarTime.seconds(in: $0) }) else {
      complain(since, expected: "a date such as 1970-01-01", at: place(.since))
      return nil
    }
    return problemCount == before ? .moment(number, since: epoch) : nil
  }

  /// Whether the highest bit of a number is its sign: `sign: magnitude`.
  private mutating func isMagnitude(_ node: DescriptionNode, at path: [String]) -> Bool {
    guard let sign = node[FieldKey.sign.rawValue], sign.text != "two" else { return false }
    if sign.text == "magnitude" { return true }
    complain(sign, expected: "magnitude, or for bits two", at: path + [FieldKey.sign.rawValue])
    return false
  }

  /// The meaning of a number by its attributes; nil after a problem.
  private mutating func meaning(
    _ word: String, _ whole: Whole, _ node: DescriptionNode, at path: [String]
  ) -> BitField.Meaning? {
    let before = problemCount
    let isMagnitude = isMagnitude(node, at: path)
    let whole = (
      bits: whole.bits, isSigned: whole.isSigned || isMagnitude, isMagnitude: isMagnitude,
      isBigEndian: whole.isBigEndian
    )
    var special = texts(node, .special, word, whole, at: path)
    special += unknown(node, word, whole, at: path)
    let isClosed = truth(node, FieldKey.closed.rawValue, at: path)
    if node[FieldKey.names.rawValue] != nil {
      refuse([.scale, .offset, .decimals], in: node, of: "a number with names", at: path)
      if isMagnitude {
        complain(
          "'names' excludes 'sign: magnitude'", at: path + [FieldKey.sign.rawValue], isOfKey: true)
      }
      let mask: UInt64 = whole.bits == 64 ? .max : (1 << UInt64(whole.bits)) - 1
      let named = texts(node, .names, word, whole, at: path) + special
      let ranges = named.flatMap { meaning in
        // A negative number is on the wire as its two's complement.
        let (low, high) = (meaning.raw.lowerBound, meaning.raw.upperBound)
        let parts = low < 0 && high >= 0 ? [low...(-1), 0...high] : [low...high]
        return parts.map { part in
          let first = UInt64(truncatingIfNeeded: part.lowerBound) & mask
          let last = UInt64(truncatingIfNeeded: part.upperBound) & mask
          return (numbers: first...last, name: meaning.text)
        }
      }
      return problemCount == before ? .named(Names(ranges: ranges, isOpen: !isClosed)) : nil
    }
    if isClosed {
      complain("'closed' is for names", expected: "'names'", at: path + [FieldKey.closed.rawValue])
    }
    let scale = fraction(node, .scale, usual: .one, at: path)
    let offset = fraction(node, .offset, usual: .zero, at: path)
    let decimals = decimals(node, at: path)
    guard problemCount == before else { return nil }
    guard
      let number = WireNumber(
        bits: whole.bits, isSigned: whole.isSigned, isMagnitude: isMagnitude,
        isBigEndian: whole.isBigEndian, scale: scale, offset: offset, decimals: decimals,
        meanings: special
      )
    else {
      complain(
        "the numbers of \(word) with this scale and offset have too many digits",
        at: path + [FieldKey.scale.rawValue]
      )
      return nil
    }
    return .quantity(number)
  }

  private mutating func fraction(
    _ node: DescriptionNode, _ key: FieldKey, usual: Fraction, at path: [String]
  ) -> Fraction {
    guard let value = node[key.rawValue] else { return usual }
    if let fraction = value.text.flatMap({ Fraction($0) }),
      key == .offset || fraction.numerator != 0
    {
      return fraction
    }
    complain(
      value, expected: "a number such as 0.01 or 1/256, of at most 15 digits",
      at: path + [key.rawValue]
    )
    return usual
  }

  private mutating func decimals(_ node: DescriptionNode, at path: [String]) -> Int? {
    guard let value = node[FieldKey.decimals.rawValue] else { return nil }
    if let count = value.whole, (0...15).contains(count) { return Int(count) }
    complain(value, expected: "a number from 0 to 15", at: path + [FieldKey.decimals.rawValue])
    return nil
  }

  /// The texts of numbers or ranges of numbers.
  private mutating func texts(
    _ node: DescriptionNode, _ key: FieldKey, _ word: String, _ whole: Whole, at path: [String]
  ) -> [WireNumber.Meaning] {
    guard let value = node[key.rawValue] else { return [] }
    let place = path + [key.rawValue]
    guard let entries = value.mapping, !entries.isEmpty else {
      complain(
        value, expected: "numbers with their names, such as { 0: idle, 1: measuring }", at: place)
      return []
    }
    guard entries.count <= Limit.names else {
      complain("more than \(Limit.names) names", at: place)
      return []
    }
    return entries.compactMap { entry in
      guard let text = entry.value.text, !text.isEmpty else {
        complain(entry.value, expected: "a name", at: place + [entry.key])
        return nil
      }
      guard let raw = span(entry.key, word, whole, at: place + [entry.key]) else { return nil }
      return WireNumber.Meaning(raw: raw, text: text)
    }
  }

  private mutating func unknown(
    _ node: DescriptionNode, _ word: String, _ whole: Whole, at path: [String]
  ) -> [WireNumber.Meaning] {
    guard let value = node[FieldKey.unknown.rawValue] else { return [] }
    let place = path + [FieldKey.unknown.rawValue]
    return (value.sequence ?? [value]).compactMap { node in
      guard let text = node.text else {
        complain(node, expected: "a number such as 0xffff", at: place)
        return nil
      }
      return span(text, word, whole, at: place, isOfKey: false)
        .map { WireNumber.Meaning(raw: $0, text: "unknown") }
    }
  }

  /// Numbers of a format. In a signed one, those above its largest are the two's complement of
  /// negative ones: 0x8000 of i16. With a sign and a size they have the highest bit as their sign; that
  /// of -0 is the number below the smallest.
  private mutating func span(
    _ text: String, _ word: String, _ whole: Whole, at path: [String], isOfKey: Bool = true
  ) -> ClosedRange<Int128>? {
    guard let span = DescriptionNode.span(text) else {
      complain(
        "expected a number or a range such as 1..3, found '\(text)'", at: path, isOfKey: isOfKey
      )
      return nil
    }
    let limits = WireNumber.limits(bits: whole.bits, isSigned: whole.isSigned)
    let all = WireNumber.limits(bits: whole.bits, isSigned: false)
    var ends = [span.lowerBound, span.upperBound]
    let top = limits.upperBound + 1
    if whole.isMagnitude {
      if ends[0] > top, all.contains(ends[1]) {
        ends = [top - ends[1], top - ends[0]]
      } else if ends[0] == top, ends[1] == top || ends[1] == all.upperBound {
        ends = [-top, ends[1] == top ? -top : -1]
      }
    } else if whole.isSigned, text.contains("x") {
      ends = ends.map {
        $0 > limits.upperBound && all.contains($0) ? $0 - 1 << Int128(whole.bits) : $0
      }
    }
    guard ends.allSatisfy(limits.contains), ends[0] <= ends[1] else {
      complain(
        "is not a number of \(word) (\(limits.lowerBound) to \(limits.upperBound))", at: path,
        isOfKey: isOfKey
      )
      return nil
    }
    return ends[0]...ends[1]
  }

  // MARK: Bits

  private mutating func bits(
    _ value: DescriptionNode, _ word: String, _ number: WireNumber, _ node: DescriptionNode,
    at path: [String]
  ) -> [BitField]? {
    let place = path + [FieldKey.bits.rawValue]
    guard let entries = value.mapping, !entries.isEmpty, entries.count <= 64 else {
      complain(
        value, expected: "names with their bits, such as { tamper: 1, state: 4..5 }", at: place)
      return nil
    }
    let names = node[FieldKey.names.rawValue]
    for entry in names?.mapping ?? [] where !entries.contains(where: { $0.key == entry.key }) {
      complain(
        "unknown bits '\(entry.key)'",
        expected: "one of \(entries.map(\.key).joined(separator: ", "))",
        nearest: Spelling.nearest(to: entry.key, among: entries.map(\.key)),
        at: path + [FieldKey.names.rawValue, entry.key], isOfKey: true
      )
    }
    let fields = entries.compactMap { entry in
      bitField(entry, word, number, names?[entry.key], at: place + [entry.key], namesAt: path)
    }
    return fields.count == entries.count ? fields : nil
  }

  private mutating func bitField(
    _ entry: DescriptionNode.Entry, _ word: String, _ number: WireNumber, _ names: DescriptionNode?,
    at path: [String], namesAt: [String]
  ) -> BitField? {
    guard AttributeName.isName(entry.key) else {
      complain(
        "expected a name of letters, digits, - and _, found '\(entry.key)'", at: path, isOfKey: true
      )
      return nil
    }
    let isLong = entry.value.mapping != nil
    if isLong { checkKeys(of: entry.value, among: BitsKey.allCases.map(\.rawValue), at: path) }
    let at = isLong ? entry.value[BitsKey.at.rawValue] : entry.value
    guard let text = at?.text, let span = DescriptionNode.span(text), span.lowerBound >= 0 else {
      complain(entry.value, expected: "a bit such as 3, or bits such as 4..5", at: path)
      return nil
    }
    guard span.upperBound < Int128(number.bits) else {
      let shown = span.lowerBound == span.upperBound ? "bit \(text) is" : "bits \(text) are"
      complain("\(shown) not in \(word), which has 0 to \(number.bits - 1)", at: path)
      return nil
    }
    let bits = UInt64(span.lowerBound)..<UInt64(span.upperBound) + 1
    var attributes = isLong ? entry.value.mapping ?? [] : []
    if let names { attributes.append(.init(FieldKey.names.rawValue, names)) }
    let node = DescriptionNode(.mapping(attributes))
    let isSigned: Bool
    switch node[BitsKey.sign.rawValue]?.text {
    case nil: isSigned = false
    case "two": isSigned = true
    case .some: isSigned = false
    }
    let whole = (bits: bits.count, isSigned: isSigned, isMagnitude: false, isBigEndian: false)
    let place = names == nil ? path : namesAt
    let others = attributes.filter { $0.key != BitsKey.at.rawValue }
    guard !others.isEmpty else {
      let meaning: BitField.Meaning = bits.count == 1 ? .boolean : .number
      return BitField(name: entry.key, bits: bits, meaning: meaning, unit: nil)
    }
    let unit = node[FieldKey.unit.rawValue]?.text
    let range = range(node, unit, at: path)
    guard let meaning = meaning("\(bits.count) bits", whole, node, at: place) else { return nil }
    return BitField(name: entry.key, bits: bits, meaning: meaning, unit: unit, range: range)
  }

  // MARK: Sizes and numbers of values

  /// The format with its `size` and `repeat`; nil after a problem.
  private mutating func counted(
    _ format: FieldFormat, _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> FieldFormat? {
    let before = problemCount
    let size = node[FieldKey.size.rawValue].flatMap {
      fieldCount($0, "bytes", at: path + [FieldKey.size.rawValue], known)
    }
    var format = format
    var isSizeOpen = size != nil
    if let size, format.isOfOctets {
      format = .sized(size, format)
      isSizeOpen = false
    }
    if let repeats = node[FieldKey.repeats.rawValue] {
      if repeats.text == "end" {
        format = .list(format)
      } else if let count = fieldCount(
        repeats, "values", at: path + [FieldKey.repeats.rawValue], known)
      {
        format = .repeated(count, format)
      }
    }
    if let size, isSizeOpen {
      guard format.mayBeSized else {
        complain(
          "'size' is not for a number, which has its own", at: path + [FieldKey.size.rawValue],
          isOfKey: true
        )
        return nil
      }
      format = .sized(size, format)
    }
    return problemCount == before ? format : nil
  }

  private mutating func fieldCount(
    _ node: DescriptionNode, _ unit: String, at path: [String], _ known: [Known]
  ) -> FieldCount? {
    if let count = node.whole {
      let most = unit == "bytes" ? Limit.octets : FieldFormat.longestList
      if (0...Int128(most)).contains(count) { return .fixed(Int(count)) }
      complain("\(count) \(unit)", expected: "from 0 to \(most)", at: path)
      return nil
    }
    if let word = node.text, let number = FieldWord.integer(word), !number.isSigned,
      let wire = WireNumber(
        bits: number.bits, isSigned: false, isBigEndian: number.isBigEndian, scale: .one,
        offset: .zero
      )
    {
      return .preceding(wire)
    }
    return expression(node, at: path, known).map { .expression($0) }
  }

  // MARK: Fields that follow from others

  private mutating func computation(
    _ format: FieldFormat, _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> ValuePart.Computation? {
    let rule = node[FieldKey.constant.rawValue]
    let checksum = node[FieldKey.checksum.rawValue]
    if rule != nil, checksum != nil {
      complain("'is' and 'checksum' exclude each other", at: path + [FieldKey.checksum.rawValue])
    }
    if let over = node[FieldKey.over.rawValue], checksum == nil {
      complain(over, expected: "'over' with a checksum", at: path + [FieldKey.over.rawValue])
    }
    if let rule {
      return expression(rule, at: path + [FieldKey.constant.rawValue], known).map { .value($0) }
    }
    guard let checksum else { return nil }
    let place = path + [FieldKey.checksum.rawValue]
    guard let rule = self.checksum(checksum, at: place) else { return nil }
    guard case .number(let number) = format, number.bits == rule.bits else {
      complain(
        "the checksum has \(rule.bits) bits", expected: "the format u\(rule.bits)", at: place)
      return nil
    }
    return .checksum(rule, over: over(node, at: path, known))
  }

  private mutating func over(
    _ node: DescriptionNode, at path: [String], _ known: [Known]
  ) -> [String] {
    guard let over = node[FieldKey.over.rawValue] else { return [] }
    let place = path + [FieldKey.over.rawValue]
    let names = (over.sequence ?? [over]).compactMap(\.text)
    guard (1...2).contains(names.count), names.count == (over.sequence ?? [over]).count else {
      complain(over, expected: "a field, or the first and the last one", at: place)
      return []
    }
    for name in names where !known.contains(where: { $0.name == name }) {
      complain(
        "unknown field '\(name)'", expected: "one of \(known.map(\.name).joined(separator: ", "))",
        nearest: Spelling.nearest(to: name, among: known.map(\.name)), at: place
      )
    }
    return names
  }

  private mutating func checksum(_ node: DescriptionNode, at path: [String]) -> Checksum? {
    if let name = node.text {
      if let checksum = Checksum(named: name) { return checksum }
      complain(
        "unknown checksum '\(name)'",
        expected: "one such as sum8, xor8, crc8, crc16/modbus or crc32, or its parameters",
        nearest: Spelling.nearest(to: name, among: Checksum.names), at: path
      )
      return nil
    }
    guard node.mapping != nil else {
      complain(node, expected: "a checksum such as crc16/modbus", at: path)
      return nil
    }
    checkKeys(of: node, among: ChecksumKey.allCases.map(\.rawValue), at: path)
    let kinds: [ChecksumKey] = [.sum, .xor, .crc]
    let given = kinds.filter { node[$0.rawValue] != nil }
    guard given.count == 1, let bits = node[given[0].rawValue]?.whole,
      [8, 16, 24, 32, 64].contains(bits)
    else {
      complain("expected one of sum, xor and crc, with its bits: 8, 16, 24, 32 or 64", at: path)
      return nil
    }
    var numbers: [ChecksumKey: UInt64] = [:]
    for key in [ChecksumKey.poly, .initial, .xorout, .every, .first] {
      guard let value = node[key.rawValue] else { continue }
      guard let number = value.whole.flatMap({ UInt64(exactly: $0) }),
        key != .every || number > 0,
        key != .every && key != .first || number <= UInt64(Limit.octets)
      else {
        complain(value, expected: "a number", at: path + [key.rawValue])
        return nil
      }
      numbers[key] = number
    }
    let kind: Checksum.Kind
    switch given[0] {
    case .sum: kind = .sum
    case .xor: kind = .xor
    case .crc, .poly, .initial, .refin, .refout, .xorout, .negate, .invert, .every, .first:
      guard let poly = numbers[.poly] else {
        complain("the polynomial is missing", expected: "'poly'", at: path)
        return nil
      }
      let refin = truth(node, ChecksumKey.refin.rawValue, at: path)
      let refout =
        node[ChecksumKey.refout.rawValue] == nil
        ? refin : truth(node, ChecksumKey.refout.rawValue, at: path)
      kind = .cyclic(
        CyclicChecksum(
          bits: Int(bits), poly, initial: numbers[.initial] ?? 0, reflected: refin,
          reflectedOutput: refout, inverted: numbers[.xorout] ?? 0
        )
      )
    }
    var checksum = Checksum(kind, bits: Int(bits))
    checksum.isNegated = truth(node, ChecksumKey.negate.rawValue, at: path)
    checksum.isInverted = truth(node, ChecksumKey.invert.rawValue, at: path)
    checksum.every = Int(numbers[.every] ?? 1)
    checksum.first = Int(numbers[.first] ?? 0)
    return checksum
  }
}

extension FieldFormat {
  /// Whether it is text or bytes, whose size is that of each value of a list.
  fileprivate var isOfOctets: Bool {
    switch self {
    case .text, .rest: true
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .octets, .half, .list,
      .enumeration, .word, .real, .address, .terminated, .sized, .repeated, .layout, .adjusted,
      .moment:
      false
    }
  }

  /// Whether a size may bound it.
  fileprivate var mayBeSized: Bool {
    switch self {
    case .layout, .list, .repeated: true
    case .number, .float, .sfloat, .named, .bits, .boolean, .dateTime, .text, .octets, .half, .rest,
      .enumeration, .word, .real, .address, .terminated, .sized, .adjusted, .moment:
      false
    }
  }
}
