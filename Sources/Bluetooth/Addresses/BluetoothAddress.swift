// The address of a device.

/// Six octets, written `C0:FF:EE:00:00:01`.
public struct BluetoothAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The octets as one number, the first written one most significant.
  public let number: UInt64

  /// The address whose octets are the lower 48 bits of `number`.
  public init(number: UInt64) {
    self.number = number & 0xffff_ffff_ffff
  }

  /// Reads `C0:FF:EE:00:00:01`, in either case, also with `-` or `_` between the octets.
  public init?(_ text: String) {
    let parts = text.split(omittingEmptySubsequences: false) { ":-_".contains($0) }
    guard parts.count == 6 else { return nil }
    var number: UInt64 = 0
    for part in parts {
      guard part.utf8.count == 2, part.first?.isHexDigit == true,
        let octet = UInt8(part, radix: 16)
      else { return nil }
      number = number << 8 | UInt64(octet)
    }
    self.number = number
  }

  public static func < (a: BluetoothAddress, b: BluetoothAddress) -> Bool { a.number < b.number }

  public var description: String {
    (0..<6).map { index in
      hexadecimal(UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64(index)))).uppercased()
    }.joined(separator: ":")
  }
}

/// What kind of address it is.
///
/// - Source: Bluetooth Core 5.4, Vol 6, Part B §1.3.
public enum AddressType: String, Hashable, Sendable, CaseIterable {
  case `public`
  case random
}

/// Two lower-case hexadecimal digits.
func hexadecimal(_ octet: UInt8) -> String {
  (octet < 16 ? "0" : "") + String(octet, radix: 16)
}
