// The identity of a service, a characteristic or a descriptor.

/// A 128-bit identifier; assigned ones have a short form of 16 or 32 bits.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part B §2.5.1.
public struct BluetoothUUID: Hashable, Comparable, Sendable, CustomStringConvertible {
  private let high: UInt64
  private let low: UInt64

  /// `0000xxxx-0000-1000-8000-00805f9b34fb`: the base UUID of short forms.
  private static let baseHigh: UInt64 = 0x0000_1000
  private static let baseLow: UInt64 = 0x8000_0080_5f9b_34fb

  /// The UUID with a 16-bit form.
  ///
  /// ```swift
  /// let heartRate = BluetoothUUID(short: 0x180d)
  /// ```
  public init(short: UInt16) {
    high = UInt64(short) << 32 | Self.baseHigh
    low = Self.baseLow
  }

  /// The UUID of the upper and the lower 64 bits.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses `180d`, `0x180D`, eight digits, or the full form with hyphens, in either case.
  ///
  /// Not for names such as `heart-rate`: ``AssignedNumbers/service(named:)`` takes those, too.
  ///
  /// ```swift
  /// let soil = BluetoothUUID("3f0e0001-4b1d-4d5e-9a57-0b3c2f1a9d77")
  /// print(BluetoothUUID("180d") == BluetoothUUID(short: 0x180d))  // true
  /// ```
  public init?(_ text: String) {
    var text = text
    guard let halves = text.withUTF8({ Self.halves(of: $0) }) else { return nil }
    (high, low) = halves
  }

  private static func halves(of text: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    let isPrefixed = text.starts(with: "0x".utf8) || text.starts(with: "0X".utf8)
    let digits = text.dropFirst(isPrefixed ? 2 : 0)
    let isFull = digits.count == 36
    guard isFull || digits.count == 4 || digits.count == 8 else { return nil }
    var (high, low, count) = (UInt64(0), UInt64(0), 0)
    for (place, octet) in digits.enumerated() {
      if isFull, place == 8 || place == 13 || place == 18 || place == 23 {
        guard octet == UInt8(ascii: "-") else { return nil }
        continue
      }
      guard let digit = octet.hexDigit else { return nil }
      if count < 16 { high = high << 4 | digit } else { low = low << 4 | digit }
      count += 1
    }
    return isFull ? (high, low) : (high << 32 | baseHigh, baseLow)
  }

  /// The 16-bit form; nil if there is none.
  ///
  /// ```swift
  /// let own = advertisement.services.filter { $0.short == nil }  // those of the manufacturer
  /// ```
  public var short: UInt16? {
    guard low == Self.baseLow, high & 0xffff_ffff == Self.baseHigh, high >> 48 == 0 else {
      return nil
    }
    return UInt16(truncatingIfNeeded: high >> 32)
  }

  /// The full lower-case form.
  ///
  /// ```swift
  /// print(BluetoothUUID(short: 0x180d).text)  // 0000180d-0000-1000-8000-00805f9b34fb
  /// ```
  public var text: String {
    String(unsafeUninitializedCapacity: 36) { octets in
      var place = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          octets[place] = UInt8(ascii: "-")
          place += 1
        }
        let half = index < 16 ? high : low
        octets[place] = UInt8(hexDigit: half >> (60 - 4 * UInt64(index % 16)))
        place += 1
      }
      return place
    }
  }

  /// As in a packet, least significant octet first: the 16-bit form where there is one.
  package var airOctets: [UInt8] {
    if let short { return [UInt8(short & 0xff), UInt8(short >> 8)] }
    return [low, high].flatMap { half in
      stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: half >> $0) }
    }
  }

  /// A UUID as in a packet; nil for another number of octets than 2, 4 or 16.
  package init?(airOctets octets: some Collection<UInt8>) {
    func number(_ octets: some Collection<UInt8>) -> UInt64 {
      octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    switch octets.count {
    case 2, 4: (high, low) = (number(octets) << 32 | Self.baseHigh, Self.baseLow)
    case 16: (high, low) = (number(octets.dropFirst(8)), number(octets.prefix(8)))
    // open: lengths
    default: return nil
    }
  }

  public static func < (a: BluetoothUUID, b: BluetoothUUID) -> Bool {
    (a.high, a.low) < (b.high, b.low)
  }

  public var description: String {
    guard let short else { return text }
    return hexadecimal(UInt8(short >> 8)) + hexadecimal(UInt8(short & 0xff))
  }
}
