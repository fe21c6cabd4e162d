// Numbers in steps: how an integer in a value represents a quantity.

/// An integer of some bits that counts steps of a quantity from an offset.
///
/// The GATT Specification Supplement writes the step as `M × 10^d × 2^b`; here it is the fraction
/// `step / over`, which keeps decimals exact.
///
/// - Source: GATT Specification Supplement, §2.2.1 (scalar values).
struct WireNumber: Sendable {
  /// Numbers on the wire that are not quantities, and their meaning: "unknown".
  struct Meaning: Sendable {
    let raw: ClosedRange<Int128>
    let text: String
  }

  /// The number of bits, at most 64.
  let bits: Int
  let isSigned: Bool
  /// Whether the highest bit is the sign, and the others are the size.
  let isMagnitude: Bool
  /// Whether the most significant octet comes first.
  let isBigEndian: Bool
  private let step: Int128
  private let over: Int128
  /// The quantity of the number 0, in parts of `over`.
  private let offset: Int128
  private let meanings: [Meaning]
  /// The number of decimals that shows every step, at most three unless the steps are decimal.
  private let decimals: Int
  /// The raw numbers from the first to the last that is a quantity.
  private let range: ClosedRange<Int128>

  var octets: Int { bits / 8 }

  init(
    _ octets: Int, signed: Bool = false, step: Int64 = 1, over: Int64 = 1,
    meanings: KeyValuePairs<Int64, String> = [:]
  ) {
    self.init(
      bits: 8 * octets, isSigned: signed, step: Int128(step), over: Int128(over),
      meanings: meanings.map { Meaning(raw: Int128($0.key)...Int128($0.key), text: $0.value) }
    )
  }

  /// A number of a description; nil if its quantities have too many digits.
  init?(
    bits: Int, isSigned: Bool, isMagnitude: Bool = false, isBigEndian: Bool, scale: Fraction,
    offset: Fraction, decimals: Int? = nil, meanings: [Meaning] = []
  ) {
    let over =
      scale.denominator == offset.denominator
      ? scale.denominator : scale.denominator * offset.denominator
    let step = scale.numerator * (over / scale.denominator)
    let start = offset.numerator * (over / offset.denominator)
    let (most, isTooLong) = step.multipliedReportingOverflow(by: 1 << Int128(bits))
    guard step != 0, !isTooLong, !most.addingReportingOverflow(start).overflow,
      !most.subtractingReportingOverflow(start).overflow
    else { return nil }
    let isWhole = step.isMultiple(of: over) && start.isMultiple(of: over)
    self.init(
      bits: bits, isSigned: isSigned, isMagnitude: isMagnitude, isBigEndian: isBigEndian,
      step: isWhole ? step / over : step,
      over: isWhole ? 1 : over, offset: isWhole ? start / over : start, decimals: decimals,
      meanings: meanings
    )
  }

  private init(
    bits: Int, isSigned: Bool, isMagnitude: Bool = false, isBigEndian: Bool = false, step: Int128,
    over: Int128,
    offset: Int128 = 0, decimals: Int? = nil, meanings: [Meaning]
  ) {
    self.bits = bits
    self.isSigned = isSigned || isMagnitude
    self.isMagnitude = isMagnitude
    self.isBigEndian = isBigEndian
    self.step = step
    self.over = over
    self.offset = offset
    self.decimals = decimals ?? Self.decimals(step, offset, over)
    self.meanings = meanings
    let all = Self.limits(bits: bits, isSigned: isSigned || isMagnitude)
    // The number below the smallest stands for the bits of -0.
    range = Self.quantities(isMagnitude ? all.lowerBound + 1...all.upperBound : all, meanings)
  }

  /// Whether every step is a whole number.
  var isWhole: Bool { over == 1 }

  /// Whether some numbers on the wire are not quantities.
  var hasMeanings: Bool { !meanings.isEmpty }

  private static func decimals(_ step: Int128, _ offset: Int128, _ over: Int128) -> Int {
    let digits = "\(over)"
    let isDecimal = digits.first == "1" && digits.dropFirst().allSatisfy { $0 == "0" }
    let most = isDecimal ? digits.utf8.count - 1 : 3
    // The remainders are less than `over`, which has at most 34 digits.
    var rests = (step % over, offset % over)
    for count in 0..<most {
      if rests == (0, 0) { return count }
      rests = (rests.0 * 10 % over, rests.1 * 10 % over)
    }
    return most
  }

  /// Decodes an integer.
  func value(_ word: UInt64) -> DecodedValue {
    if isMagnitude {
      let top = UInt64(1) << UInt64(bits - 1)
      let negativeZero = meanings.first { word == top && $0.raw.contains(-Int128(top)) }
      return negativeZero.map { .text($0.text) } ?? meant(sized(word))
    }
    let shift = UInt64(64 - bits)
    let raw = isSigned ? Int128(Int64(bitPattern: word << shift) >> Int64(shift)) : Int128(word)
    return meant(raw)
  }

  /// The number of a word with a sign and a size.
  private func sized(_ word: UInt64) -> Int128 {
    let top = UInt64(1) << UInt64(bits - 1)
    let size = Int128(word & (top - 1))
    return word & top == 0 ? size : -size
  }

  /// The word of a number.
  private func word(_ raw: Int128) -> UInt64 {
    guard isMagnitude, raw < 0 else { return UInt64(truncatingIfNeeded: raw) }
    return UInt64(truncatingIfNeeded: -raw) | 1 << UInt64(bits - 1)
  }

  private func meant(_ raw: Int128) -> DecodedValue {
    if !meanings.isEmpty, let meaning = meanings.first(where: { $0.raw.contains(raw) }) {
      return .text(meaning.text)
    }
    return quantity(raw)
  }

  private func quantity(_ raw: Int128) -> DecodedValue {
    guard over > 1 else { return .integer(raw * step + offset) }
    if raw.magnitude > 1 << 53, let exact = Double(decimal: raw * step + offset, over: over) {
      return .real(exact, decimals: decimals)
    }
    if offset == 0 { return .real(Double(raw) * Double(step) / Double(over), decimals: decimals) }
    return .real(Double(raw * step + offset) / Double(over), decimals: decimals)
  }

  /// The octets of a value, as an integer. A text that is not a meaning is read as a number.
  ///
  /// - Throws: ``ValueError`` when it is not a number, or out of range.
  func bits(_ value: DecodedValue, _ field: String) throws(ValueError) -> UInt64 {
    func problem(_ text: String) -> ValueError {
      ValueError(field: field, octet: 0, problem: text)
    }
    let raw: Int128
    switch value {
    case .integer(let number) where over == 1 && step == 1:
      let (steps, isTooLarge) = number.subtractingReportingOverflow(offset)
      if isTooLarge { throw problem("\(value) cannot be sent") }
      raw = steps
    case .integer, .real:
      guard let steps = steps(of: value) else { throw problem("\(value) cannot be sent") }
      raw = steps
    case .text, .boolean, .octets, .list, .fields:
      if let meaning = meanings.first(where: { $0.text == value.description }) {
        return word(meaning.raw.lowerBound)
      }
      guard case .text(let text) = value, let number = DecodedValue(number: text) else {
        throw problem("'\(value)' is not a number")
      }
      guard over > 1, let steps = Fraction(digits: text).flatMap({ self.steps(of: $0) }) else {
        return try bits(number, field)
      }
      raw = steps
    }
    guard range.contains(raw) else {
      let ends = (quantity(range.lowerBound), quantity(range.upperBound))
      let isReversed = step < 0
      throw problem(
        "\(value) is not in \(isReversed ? ends.1 : ends.0) to \(isReversed ? ends.0 : ends.1)"
      )
    }
    if let meaning = meanings.first(where: { $0.raw.contains(raw) }) {
      throw problem("\(value) cannot be sent: its number means '\(meaning.text)'")
    }
    return word(raw)
  }

  /// The number of steps of a quantity, rounded to the nearest; nil where there is none.
  private func steps(of value: DecodedValue) -> Int128? {
    if case .integer(let number) = value {
      return steps(of: Fraction(number, over: 1))
    }
    let steps = ((value.number ?? .nan) * Double(over) - Double(offset)) / Double(step)
    return Int128(exactly: steps.rounded())
  }

  /// The number of steps of an exact quantity, rounded to the nearest, halves away from 0; nil for
  /// one with too many digits.
  private func steps(of quantity: Fraction) -> Int128? {
    let (parts, isLong) = quantity.numerator.multipliedReportingOverflow(by: over)
    let (start, isFar) = offset.multipliedReportingOverflow(by: quantity.denominator)
    let (distance, isWide) = parts.subtractingReportingOverflow(start)
    let (length, isFine) = step.multipliedReportingOverflow(by: quantity.denominator)
    guard !isLong, !isFar, !isWide, !isFine else { return nil }
    let (whole, rest) = distance.quotientAndRemainder(dividingBy: length)
    guard rest.magnitude >= length.magnitude - rest.magnitude else { return whole }
    return whole + ((rest < 0) == (length < 0) ? 1 : -1)
  }

  /// The quantities that can be sent.
  var quantities: ClosedRange<Double> {
    func quantity(_ raw: Int128) -> Double {
      offset == 0
        ? Double(raw) * Double(step) / Double(over) : Double(raw * step + offset) / Double(over)
    }
    let ends = (quantity(range.lowerBound), quantity(range.upperBound))
    return min(ends.0, ends.1)...max(ends.0, ends.1)
  }

  /// The raw numbers that can be sent.
  static func limits(bits: Int, isSigned: Bool) -> ClosedRange<Int128> {
    let bits = Int128(bits)
    return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  /// The raw numbers without those with a meaning at the ends; all numbers if each has a meaning.
  private static func quantities(
    _ all: ClosedRange<Int128>, _ meanings: [Meaning]
  ) -> ClosedRange<Int128> {
    var (low, high) = (all.lowerBound, all.upperBound)
    while low <= high, let meaning = meanings.first(where: { $0.raw.contains(low) }) {
      low = meaning.raw.upperBound + 1
    }
    while low <= high, let meaning = meanings.first(where: { $0.raw.contains(high) }) {
      high = meaning.raw.lowerBound - 1
    }
    return low <= high ? low...high : all
  }
}

extension Double {
  /// The nearest number to a quotient; nil if the divisor is no power of ten.
  fileprivate init?(decimal digits: Int128, over: Int128) {
    let power = "\(over)"
    guard power.first == "1", power.dropFirst().allSatisfy({ $0 == "0" }) else { return nil }
    self.init("\(digits)e-\(power.utf8.count - 1)")
  }
}

extension DecodedValue {
  /// The number that a text spells: decimal, or hexadecimal after `0x`; nil for other texts.
  init?(number text: String) {
    if text.hasPrefix("0x") {
      guard let number = UInt64(text.dropFirst(2), radix: 16) else { return nil }
      self = .integer(Int128(number))
    } else if let number = Int128(text) {
      self = .integer(number)
    } else {
      // Double also parses "inf" and hexadecimal fractions.
      guard text.allSatisfy({ "0123456789+-.eE".contains($0) }), let number = Double(text),
        number.isFinite
      else { return nil }
      self = .real(number, decimals: max(0, text.drop { $0 != "." }.utf8.count - 1))
    }
  }
}
