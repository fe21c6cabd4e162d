// The address of a device.

/// Six octets, written `C0:FF:EE:00:00:01`.
public struct BluetoothAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The octets as one number, the first written one most significant.
  public let number: UInt64

  /// The expected text, for errors.
  package static let expected = "an address such as C0:FF:EE:00:00:01"
  /// A regular expression for the text of an address, for schemas.
  package static let pattern = "^(([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}|[0-9A-Fa-f]{12})$"

  /// The address whose octets are the lower 48 bits of `number`.
  ///
  /// ```swift
  /// let address = BluetoothAddress(number: 0xc0ff_ee00_0001)  // C0:FF:EE:00:00:01
  /// ```
  public init(number: UInt64) {
    self.number = number & 0xffff_ffff_ffff
  }

  /// Parses `C0:FF:EE:00:00:01`, in either case. It also accepts `-` or `_` as separators, and the
  /// form on labels and in barcodes: `C0FFEE000001`.
  ///
  /// ```swift
  /// guard let address = BluetoothAddress("c0-ff-ee-00-00-01") else { return }
  /// print(address)  // C0:FF:EE:00:00:01
  /// ```
  public init?(_ text: String) {
    let hasSeparators = text.utf8.count == 17
    guard hasSeparators || text.utf8.count == 12 else { return nil }
    var number: UInt64 = 0
    var place = 0
    for octet in text.utf8 {
      if hasSeparators, place % 3 == 2 {
        switch octet {
        case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "_"): break
        default: return nil
        }
      } else if let digit = octet.hexDigit {
        number = number << 4 | digit
      } else {
        return nil
      }
      place += 1
    }
    self.number = number
  }

  public static func < (a: BluetoothAddress, b: BluetoothAddress) -> Bool { a.number < b.number }

  public var description: String { text(separator: ":") }

  /// Whether it identifies a device: as a public address does, and a random one that is static, with its upper
  /// two bits set. Other random addresses change.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §1.3.2.
  package func isIdentity(_ type: AddressType) -> Bool {
    switch type {
    case .public: true
    case .random: number >> 46 == 0b11
    }
  }

  /// The octets in upper-case hexadecimal, with an ASCII character between them.
  package func text(separator: Unicode.Scalar) -> String {
    String(unsafeUninitializedCapacity: 17) { text in
      var rest = number
      for place in (0..<17).reversed() {
        if place % 3 == 2 {
          text[place] = UInt8(ascii: separator)
        } else {
          text[place] = UInt8(hexDigit: rest, uppercase: true)
          rest >>= 4
        }
      }
      return 17
    }
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
package func hexadecimal(_ octet: UInt8) -> String {
  (octet < 16 ? "0" : "") + String(octet, radix: 16)
}
