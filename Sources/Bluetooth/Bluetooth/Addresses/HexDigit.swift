// Hexadecimal digits as octets of text: addresses and UUIDs are parsed and printed by the million.

extension UInt8 {
  /// The value of this ASCII digit, in either case; nil for any other octet.
  var hexDigit: UInt64? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The digit for the lowest four bits.
  init(hexDigit number: UInt64, uppercase: Bool = false) {
    let digit = UInt8(truncatingIfNeeded: number & 0xf)
    let ten = uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")
    self = digit < 10 ? UInt8(ascii: "0") + digit : ten + digit - 10
  }
}

extension [UInt8] {
  /// The bytes of pairs of hexadecimal digits, in either case; nil for any other text.
  package init?(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.map(\.hexDigit)
    guard digits.count.isMultiple(of: 2) else { return nil }
    self = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = digits[index], let low = digits[index + 1] else { return nil }
      append(UInt8(high << 4 | low))
    }
  }
}
