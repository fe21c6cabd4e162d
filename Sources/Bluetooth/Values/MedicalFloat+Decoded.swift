// The numbers of medical devices as decoded values.
//
// Infinities and NaN become numbers; NRes and the reserved value become texts, so that none is
// lost.

extension MedicalFloat {
  static func decoded(_ bits: UInt32) -> DecodedValue {
    decoded(float(bits), decimals: decimals(bits), special(bits))
  }

  static func decodedShort(_ bits: UInt16) -> DecodedValue {
    decoded(sfloat(bits), decimals: shortDecimals(bits), special(short: bits))
  }

  /// The FLOAT of a value; nil when it is not a number, or too large.
  static func bits(_ value: DecodedValue) -> UInt32? {
    switch value {
    case .real(let number, let decimals): bits(number, decimals: decimals)
    case .integer(let number): bits(Double(number), decimals: 0)
    case .text(let text): Special(rawValue: text).map { bits($0) }
    case .boolean, .octets, .list, .fields: nil
    }
  }

  /// The SFLOAT of a value; nil when it is not a number, or too large.
  static func shortBits(_ value: DecodedValue) -> UInt16? {
    switch value {
    case .real(let number, let decimals): shortBits(number, decimals: decimals)
    case .integer(let number): shortBits(Double(number), decimals: 0)
    case .text(let text): Special(rawValue: text).map { shortBits($0) }
    case .boolean, .octets, .list, .fields: nil
    }
  }

  private static func decoded(
    _ value: Double,
    decimals: Int,
    _ special: Special?
  ) -> DecodedValue {
    switch special {
    case .notAtThisResolution?, .reserved?: .text(special?.rawValue ?? "")
    case .notANumber?, .positiveInfinity?, .negativeInfinity?: .real(value, decimals: 0)
    case nil: .real(value, decimals: decimals)
    }
  }
}
