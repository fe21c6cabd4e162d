// The decimal floating-point numbers of medical devices.

/// IEEE 11073 FLOAT (32 bits) and SFLOAT (16 bits): a decimal exponent above an integer mantissa.
///
/// Five words are special values instead of numbers. Their exponent is 0: the mantissa of NaN with
/// another exponent is a number, such as 204.7 (0xf7ff).
///
/// - Source: IEEE 11073-20601:2014, annex F.8.
public enum MedicalFloat {
  /// The meaning of a special value.
  public enum Special: String, Hashable, Sendable, CaseIterable {
    /// NaN: an invalid result.
    case notANumber = "not a number"
    /// NRes: the value cannot be represented with the available range and resolution.
    case notAtThisResolution = "not at this resolution"
    /// Positive infinity.
    case positiveInfinity = "positive infinity"
    /// Negative infinity.
    case negativeInfinity = "negative infinity"
    /// Reserved for future use.
    case reserved = "reserved"
  }

  // MARK: Decoding

  /// The value of a 32-bit FLOAT: an 8-bit exponent above a 24-bit mantissa.
  ///
  /// ```swift
  /// print(MedicalFloat.float(0xff00_016e))  // 36.6
  /// ```
  public static func float(_ bits: UInt32) -> Double { Width.long.value(bits) }

  /// The value of a 16-bit SFLOAT: a 4-bit exponent above a 12-bit mantissa.
  ///
  /// ```swift
  /// print(MedicalFloat.sfloat(0xf16e))  // 36.6
  /// ```
  public static func sfloat(_ bits: UInt16) -> Double { Width.short.value(UInt32(bits)) }

  /// The special value of a FLOAT; nil for a number.
  ///
  /// ```swift
  /// print(MedicalFloat.special(0x007f_ffff) == .notANumber)  // true
  /// ```
  public static func special(_ bits: UInt32) -> Special? { Width.long.special(bits) }

  /// The special value of an SFLOAT; nil for a number.
  public static func special(short bits: UInt16) -> Special? { Width.short.special(UInt32(bits)) }

  // MARK: Encoding

  /// The FLOAT of a special value.
  ///
  /// ```swift
  /// print(MedicalFloat.bits(.notANumber) == 0x007f_ffff)  // true
  /// ```
  public static func bits(_ special: Special) -> UInt32 { Width.long.bits(special) }

  /// The SFLOAT of a special value.
  public static func shortBits(_ special: Special) -> UInt16 { UInt16(Width.short.bits(special)) }

  /// The FLOAT nearest to `value`, with `decimals` decimals unless it needs more or allows fewer.
  ///
  /// ```swift
  /// print(MedicalFloat.bits(36.6, decimals: 1) == 0xff00_016e)  // true: 366 · 10⁻¹
  /// ```
  ///
  /// - Returns: nil when the value is too large.
  public static func bits(_ value: Double, decimals: Int) -> UInt32? {
    Width.long.bits(value, decimals)
  }

  /// The SFLOAT nearest to `value`, with `decimals` decimals unless it needs more or allows fewer.
  ///
  /// ```swift
  /// print(MedicalFloat.shortBits(36.6, decimals: 1) == 0xf16e)  // true: 366 · 10⁻¹
  /// ```
  ///
  /// - Returns: nil when the value is too large.
  public static func shortBits(_ value: Double, decimals: Int) -> UInt16? {
    Width.short.bits(value, decimals).map { UInt16($0) }
  }

  /// The FLOAT `mantissa` × 10^`exponent`; nil if it does not exist, or its word is a special
  /// value.
  package static func bits(mantissa: Int, exponent: Int) -> UInt32? {
    Width.long.bits(mantissa, exponent)
  }

  /// The SFLOAT `mantissa` × 10^`exponent`; nil if it does not exist, or its word is a special
  /// value.
  package static func shortBits(mantissa: Int, exponent: Int) -> UInt16? {
    Width.short.bits(mantissa, exponent).map { UInt16($0) }
  }

  /// `mantissa × 10^exponent`.
  static func scaled(_ mantissa: Double, by exponent: Int) -> Double {
    var power = 1.0
    for _ in 0..<abs(exponent) { power *= 10 }
    // Division is exact for 36.6: 366 / 10, not 366 × 0.1.
    return exponent < 0 ? mantissa / power : mantissa * power
  }

  // MARK: Decoded values

  // A special value is a text, so no comparison with a number holds for it: an infinite temperature
  // is not a high one.

  static func decoded(_ bits: UInt32) -> DecodedValue { Width.long.decoded(bits) }

  static func decodedShort(_ bits: UInt16) -> DecodedValue { Width.short.decoded(UInt32(bits)) }

  /// The FLOAT of a value; nil when it is not a number, or too large.
  static func bits(_ value: DecodedValue) -> UInt32? { Width.long.bits(value) }

  /// The SFLOAT of a value; nil when it is not a number, or too large.
  static func shortBits(_ value: DecodedValue) -> UInt16? {
    Width.short.bits(value).map { UInt16($0) }
  }
}

/// One of the two sizes of such a number. Words are in the low bits of a `UInt32`.
private struct Width {
  static let long = Width(mantissaBits: 24, exponentBits: 8)
  static let short = Width(mantissaBits: 12, exponentBits: 4)

  let mantissaBits: UInt32
  let exponentBits: UInt32

  /// The largest mantissa plus one: half of the range.
  private var half: Int { 1 << (mantissaBits - 1) }
  private var mantissas: Range<Int> { -half..<half }
  private var exponents: ClosedRange<Int> {
    let half = 1 << (exponentBits - 1)
    return -half...half - 1
  }

  /// The special values by their distance from the word 0x800 or 0x800000.
  private static let specials: [(offset: Int, special: MedicalFloat.Special)] = [
    (-2, .positiveInfinity), (-1, .notANumber), (0, .notAtThisResolution), (1, .reserved),
    (2, .negativeInfinity),
  ]

  // MARK: Decoding

  func special(_ word: UInt32) -> MedicalFloat.Special? {
    Self.specials.first { $0.offset == Int(word) - half }?.special
  }

  func value(_ word: UInt32) -> Double {
    switch special(word) {
    case .notANumber?, .notAtThisResolution?, .reserved?: return .nan
    case .positiveInfinity?: return .infinity
    case .negativeInfinity?: return -.infinity
    case nil:
      let mantissa = signed(word & ((1 << mantissaBits) - 1), bits: mantissaBits)
      return MedicalFloat.scaled(Double(mantissa), by: exponent(word))
    }
  }

  func decoded(_ word: UInt32) -> DecodedValue {
    if let special = special(word) { return .text(special.rawValue) }
    return .real(value(word), decimals: min(8, max(0, -exponent(word))))
  }

  private func exponent(_ word: UInt32) -> Int {
    signed(word >> mantissaBits, bits: exponentBits)
  }

  private func signed(_ number: UInt32, bits: UInt32) -> Int {
    let number = Int(number)
    return number >> (bits - 1) == 0 ? number : number - 1 << bits
  }

  // MARK: Encoding

  func bits(_ special: MedicalFloat.Special) -> UInt32 {
    let offset = Self.specials.first { $0.special == special }?.offset ?? 0
    return UInt32(half + offset)
  }

  /// Returns the word of a number; nil if it does not exist, or its word is a special value.
  func bits(_ mantissa: Int, _ exponent: Int) -> UInt32? {
    guard mantissas.contains(mantissa), exponents.contains(exponent) else { return nil }
    let low = UInt32(truncatingIfNeeded: mantissa) & ((1 << mantissaBits) - 1)
    let high = UInt32(truncatingIfNeeded: exponent) & ((1 << exponentBits) - 1)
    let word = high << mantissaBits | low
    return special(word) == nil ? word : nil
  }

  func bits(_ value: DecodedValue) -> UInt32? {
    switch value {
    case .real(let number, let decimals): bits(number, decimals)
    case .integer(let number): bits(Double(number), 0)
    case .text(let text): MedicalFloat.Special(rawValue: text).map { bits($0) }
    case .boolean, .octets, .list, .fields: nil
    }
  }

  /// Returns the word that is exactly the value, with the number of decimals closest to `decimals`;
  /// if there is none, the word nearest to the value.
  func bits(_ value: Double, _ decimals: Int) -> UInt32? {
    if value.isNaN { return bits(.notANumber) }
    if value.isInfinite { return bits(value > 0 ? .positiveInfinity : .negativeInfinity) }
    let first = min(exponents.upperBound, max(exponents.lowerBound, -decimals))
    var nearest: UInt32?
    for exponent in first...exponents.upperBound {
      guard let (mantissa, word) = rounded(value, exponent) else { continue }
      if MedicalFloat.scaled(mantissa, by: exponent) == value { return word }
      if nearest == nil { nearest = word }
      // Coarser steps are no longer exact.
      if mantissa == 0 { break }
    }
    for exponent in (exponents.lowerBound..<first).reversed() {
      guard let (mantissa, word) = rounded(value, exponent) else { break }
      if MedicalFloat.scaled(mantissa, by: exponent) == value { return word }
      nearest = word
    }
    return nearest
  }

  /// The mantissa nearest to a value with an exponent, and its word.
  private func rounded(_ value: Double, _ exponent: Int) -> (mantissa: Double, word: UInt32)? {
    let mantissa = MedicalFloat.scaled(value, by: -exponent).rounded()
    guard let whole = Int(exactly: mantissa), let word = bits(whole, exponent) else { return nil }
    return (mantissa, word)
  }
}
