// Checksums of values.

/// A checksum: a sum, an exclusive or, or a cyclic redundancy check.
struct Checksum: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case sum, xor
    case cyclic(CyclicChecksum)
  }

  let kind: Kind
  /// The width in bits, 8 to 64.
  let bits: Int
  /// The octets that count: every how many, and the first of them.
  var every = 1
  var first = 0
  /// Whether the result is the two's complement, and whether its bits are inverted.
  var isNegated = false
  var isInverted = false

  init(_ kind: Kind, bits: Int) {
    self.kind = kind
    self.bits = bits
  }

  /// The checksum with a name such as `sum8`, `crc8` or `crc16/modbus`; nil for other names.
  init?(named name: String) {
    let simple: [String: Checksum] = [
      "sum8": Checksum(.sum, bits: 8), "sum16": Checksum(.sum, bits: 16),
      "xor8": Checksum(.xor, bits: 8), "crc8": Checksum(CyclicChecksum(bits: 8, 0x07)),
      "crc32": Checksum(.crc32),
    ]
    if let known = simple[name] {
      self = known
      return
    }
    let parts = name.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, parts[0].hasPrefix("crc"), let bits = Int(parts[0].dropFirst(3)),
      let crc = CyclicChecksum.named(String(parts[1]), bits: bits)
    else { return nil }
    self.init(crc)
  }

  private init(_ crc: CyclicChecksum) { self.init(.cyclic(crc), bits: crc.bits) }

  /// The names of checksums.
  static let names =
    ["sum8", "sum16", "xor8", "crc8", "crc32"]
    + [8, 16, 32].flatMap { bits in CyclicChecksum.names(bits: bits).map { "crc\(bits)/\($0)" } }

  /// The checksum of octets.
  func value(of octets: ArraySlice<UInt8>) -> UInt64 {
    let counted = every == 1 && first == 0 ? octets : chosen(octets)
    var result: UInt64 =
      switch kind {
      case .sum: counted.reduce(0) { $0 &+ UInt64($1) }
      case .xor: counted.reduce(0) { $0 ^ UInt64($1) }
      case .cyclic(let crc): crc.value(of: counted)
      }
    if isInverted { result = ~result }
    if isNegated { result = 0 &- result }
    return bits == 64 ? result : result & ((1 << UInt64(bits)) - 1)
  }

  private func chosen(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    octets.dropFirst(first).enumerated().filter { $0.offset.isMultiple(of: every) }
      .map(\.element)[...]
  }

  /// The E2E-CRC: CRC-CCITT with the polynomial x¹⁶ + x¹² + x⁵ + 1, least significant bits first,
  /// from 0xffff.
  ///
  /// - Source: Continuous Glucose Monitoring Service 1.0.2, E2E-CRC.
  private static let endToEnd = CyclicChecksum(
    bits: 16, 0x1021, initial: 0xffff, reflected: true
  )

  /// The two octets of the E2E-CRC in the order in which they are sent.
  static func octets(of octets: ArraySlice<UInt8>) -> [UInt8] {
    let crc = endToEnd.value(of: octets)
    return [UInt8(truncatingIfNeeded: crc), UInt8(truncatingIfNeeded: crc >> 8)]
  }
}
