// The identity of a service, a characteristic or a descriptor.

/// A 128-bit identifier; assigned ones have a short form of 16 or 32 bits.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part B §2.5.1.
public struct BluetoothUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  /// `0000xxxx-0000-1000-8000-00805f9b34fb`: what short forms stand for.
  private static let baseHigh: UInt64 = 0x0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb

  /// The identifier that a 16-bit form stands for.
  public init(short: UInt16) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// Reads `180d`, `0x180D`, eight digits, or the full form with hyphens, in either case.
  public init?(_ text: String) {
    let isPrefixed = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isPrefixed ? String(text.dropFirst(2)) : text
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") }) else { return nil }
    switch digits.utf8.count {
    case 4, 8:
      guard let short = UInt32(digits, radix: 16) else { return nil }
      high = UInt64(short) << 32 | Self.baseHigh
      low = Self.baseLow
    case 36:
      let parts = digits.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12],
        let high = UInt64(parts[0..<3].joined(), radix: 16),
        let low = UInt64(parts[3..<5].joined(), radix: 16)
      else { return nil }
      self.high = high
      self.low = low
    default: return nil
    }
  }

  /// The 16-bit form, where there is one.
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xffff_ffff == Self.baseHigh, high >> 48 == 0 else {
      return nil
    }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// The full lower-case form.
  public var text: String {
    func digits(_ number: UInt64, _ count: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: count - text.utf8.count) + text
    }
    return [
      digits(high >> 32, 8), digits(high >> 16 & 0xffff, 4), digits(high & 0xffff, 4),
      digits(low >> 48, 4), digits(low & 0xffff_ffff_ffff, 12),
    ].joined(separator: "-")
  }

  public static func < (a: BluetoothUUID, b: BluetoothUUID) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }

  public var description: String {
    guard let short else { return text }
    return hexadecimal(UInt8(short >> 8)) + hexadecimal(UInt8(short & 0xff))
  }
}
