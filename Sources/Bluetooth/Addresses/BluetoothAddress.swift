// The address of a device.

/// Six octets, written `C0:FF:EE:00:00:01`.
public struct BluetoothAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The octets as one number, the first written one most significant.
  public let number: UInt64

  /// The address whose octets are the lower 48 bits of `number`.
  ///
  /// ```swift
  /// let address = BluetoothAddress(number: 0xc0ff_ee00_0001)  // C0:FF:EE:00:00:01
  /// ```
  public init(number: UInt64) {
    self.number = number & 0xffff_ffff_ffff
  }

  /// Parses `C0:FF:EE:00:00:01`, in either case, also with `-` or `_` as separators.
  ///
  /// ```swift
  /// guard let address = BluetoothAddress("c0-ff-ee-00-00-01") else { return }
  /// print(address)  // C0:FF:EE:00:00:01
  /// ```
  public init?(_ text: String) {
    guard text.utf8.count == 17 else { return nil }
    var number: UInt64 = 0
    for (place, octet) in text.utf8.enumerated() {
      if place % 3 == 2 {
        guard Self.separators.contains(octet) else { return nil }
      } else if let digit = octet.hexDigit {
        number = number << 4 | digit
      } else {
        return nil
      }
    }
    self.number = number
  }

  private static let separators = Array(":-_".utf8)

  public static func < (a: BluetoothAddress, b: BluetoothAddress) -> Bool { a.number < b.number }

  public var description: String {
    (0..<6).map { index in
      hexadecimal(UInt8(truncatingIfNeeded: number >> (40 - 8 * UInt64(index)))).uppercased()
    }.joined(separator: ":")
  }
}

/// The type of an address.
///
/// - Source: Bluetooth Core 5.4, Vol 6, Part B §1.3.
public enum AddressType: String, Hashable, Sendable, CaseIterable {
  /// An address that a manufacturer was assigned.
  case `public`
  /// An address that the device chose; it may change.
  case random
}

/// Two lower-case hexadecimal digits.
func hexadecimal(_ octet: UInt8) -> String {
  (octet < 16 ? "0" : "") + String(octet, radix: 16)
}
