// The format that a device gives its own value: the descriptor Characteristic Presentation Format.

extension ValueDescription {
  /// The format in the octets of the descriptor 0x2904, for values that nobody else describes.
  ///
  /// Nil for octets that are none, and for formats without one number or text: nibbles, structures.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part G §3.3.3.5; Assigned Numbers, "Format types" and
  ///   "Units".
  package init?(presentation octets: [UInt8]) {
    guard octets.count == 7 else { return nil }
    let exponent = Int(Int8(bitPattern: octets[1]))
    guard let format = Self.format(octets[0], exponent: exponent) else { return nil }
    let number = UInt64(octets[2]) | UInt64(octets[3]) << 8
    let unit = PresentationUnit.names.known(number).flatMap { $0 == "none" ? nil : $0 }
    let name = "presentation format"
    let part = ValuePart("value", .field(format), unit: unit, range: nil)
    let layout = ValueLayout(described: name, [part], isBare: unit == nil)
    self.init(name, of: .none, layout)
  }

  private static func format(_ type: UInt8, exponent: Int) -> FieldFormat? {
    switch type {
    case 1: return .boolean
    case 4, 6, 7, 8: return number(8 * [4: 1, 6: 2, 7: 3, 8: 4][type, default: 1], exponent)
    case 9: return number(48, exponent)
    case 10: return number(64, exponent)
    case 12, 14, 15, 16:
      return number(8 * [12: 1, 14: 2, 15: 3, 16: 4][type, default: 1], exponent, isSigned: true)
    case 17: return number(48, exponent, isSigned: true)
    case 18: return number(64, exponent, isSigned: true)
    case 20: return .real(octets: 4, isBigEndian: false)
    case 21: return .real(octets: 8, isBigEndian: false)
    case 22: return .sfloat
    case 23: return .float
    case 25: return .text
    // open: formats of the specification that are no single number or text
    default: return nil
    }
  }

  private static func number(
    _ bits: Int, _ exponent: Int, isSigned: Bool = false
  ) -> FieldFormat? {
    guard (-12...12).contains(exponent) else { return nil }
    let power = (0..<abs(exponent)).reduce(1 as Int128) { power, _ in power * 10 }
    let scale = exponent < 0 ? Fraction(1, over: power) : Fraction(power, over: 1)
    return WireNumber(
      bits: bits, isSigned: isSigned, isBigEndian: false, scale: scale, offset: .zero
    ).map { .number($0) }
  }
}
