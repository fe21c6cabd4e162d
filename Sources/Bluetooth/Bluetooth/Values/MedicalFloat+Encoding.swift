// Encoding of the decimal floating-point numbers of medical devices.

extension MedicalFloat {
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

  /// The meaning of a FLOAT that is not a number; nil for numbers. Its exponent is ignored.
  ///
  /// ```swift
  /// print(MedicalFloat.special(0x007f_ffff) == .notANumber)  // true
  /// ```
  public static func special(_ bits: UInt32) -> Special? {
    special(mantissa: Int(bits & 0xff_ffff), below: 0x80_0000)
  }

  /// The meaning of an SFLOAT that is not a number; nil for numbers.
  public static func special(short bits: UInt16) -> Special? {
    special(mantissa: Int(bits & 0xfff), below: 0x800)
  }

  /// The FLOAT of a special value.
  ///
  /// ```swift
  /// print(MedicalFloat.bits(.notANumber) == 0x007f_ffff)  // true
  /// ```
  public static func bits(_ special: Special) -> UInt32 {
    UInt32(mantissa(special, below: 0x80_0000))
  }

  /// The SFLOAT of a special value.
  public static func shortBits(_ special: Special) -> UInt16 {
    UInt16(mantissa(special, below: 0x800))
  }

  /// The FLOAT nearest to `value`, with `decimals` decimals unless it needs more or allows fewer.
  ///
  /// ```swift
  /// print(MedicalFloat.bits(36.6, decimals: 1) == 0xff00_016e)  // true: 366 · 10⁻¹
  /// ```
  ///
  /// - Returns: nil when the value is too large.
  public static func bits(_ value: Double, decimals: Int) -> UInt32? {
    if value.isNaN { return bits(.notANumber) }
    if value.isInfinite { return bits(value > 0 ? .positiveInfinity : .negativeInfinity) }
    return parts(value, decimals, limit: 0x7f_fffd, exponents: -128...127).map { part in
      UInt32(UInt8(bitPattern: Int8(part.exponent))) << 24
        | UInt32(truncatingIfNeeded: part.mantissa) & 0xff_ffff
    }
  }

  /// The SFLOAT nearest to `value`, with `decimals` decimals unless it needs more or allows fewer.
  ///
  /// ```swift
  /// print(MedicalFloat.shortBits(36.6, decimals: 1) == 0xf16e)  // true: 366 · 10⁻¹
  /// ```
  ///
  /// - Returns: nil when the value is too large.
  public static func shortBits(_ value: Double, decimals: Int) -> UInt16? {
    if value.isNaN { return shortBits(.notANumber) }
    if value.isInfinite { return shortBits(value > 0 ? .positiveInfinity : .negativeInfinity) }
    return parts(value, decimals, limit: 0x7fd, exponents: -8...7).map { part in
      UInt16(truncatingIfNeeded: part.exponent) << 12
        | UInt16(truncatingIfNeeded: part.mantissa) & 0xfff
    }
  }

  /// Exact where possible, with as near to `decimals` decimals as it can be; else the nearest.
  private static func parts(
    _ value: Double, _ decimals: Int, limit: Int, exponents: ClosedRange<Int>
  ) -> (mantissa: Int, exponent: Int)? {
    func mantissa(_ exponent: Int) -> Int? {
      let whole = scaled(value, by: -exponent).rounded()
      return abs(whole) <= Double(limit) ? Int(whole) : nil
    }
    let first = min(exponents.upperBound, max(exponents.lowerBound, -decimals))
    var nearest: (mantissa: Int, exponent: Int)?
    for exponent in first...exponents.upperBound {
      guard let mantissa = mantissa(exponent) else { continue }
      if scaled(Double(mantissa), by: exponent) == value { return (mantissa, exponent) }
      if nearest == nil { nearest = (mantissa, exponent) }
      // Coarser steps are no longer exact.
      if mantissa == 0 { break }
    }
    for exponent in (exponents.lowerBound..<first).reversed() {
      guard let mantissa = mantissa(exponent) else { break }
      if scaled(Double(mantissa), by: exponent) == value { return (mantissa, exponent) }
      nearest = (mantissa, exponent)
    }
    return nearest
  }

  /// The five special mantissas around the end of the range.
  private static let offsets: [(offset: Int, special: Special)] = [
    (-2, .positiveInfinity), (-1, .notANumber), (0, .notAtThisResolution), (1, .reserved),
    (2, .negativeInfinity),
  ]

  private static func special(mantissa: Int, below end: Int) -> Special? {
    offsets.first { $0.offset == mantissa - end }?.special
  }

  private static func mantissa(_ special: Special, below end: Int) -> Int {
    end + (offsets.first { $0.special == special }?.offset ?? 0)
  }
}
