// The numbers of medical devices as decoded values.
//
// What a device sends in place of a number is a text: no comparison of numbers holds for it, and an
// infinite temperature is not a high one.

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

  private static func decoded(_ value: Double, decimals: Int, _ special: Special?) -> DecodedValue {
    special.map { .text($0.rawValue) } ?? .real(value, decimals: decimals)
  }
}
