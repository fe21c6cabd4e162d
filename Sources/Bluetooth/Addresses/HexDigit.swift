// Hexadecimal digits as octets of text: addresses and UUIDs are read and shown by the million.

extension UInt8 {
  /// The value of the digit that this octet is in ASCII, in either case; nil when it is none.
  var hexDigit: UInt64? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }

  /// The digit, in lower case, of the lowest four bits.
  init(hexDigit number: UInt64) {
    let digit = UInt8(truncatingIfNeeded: number & 0xf)
    self = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
  }
}
