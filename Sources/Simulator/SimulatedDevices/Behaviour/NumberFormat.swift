// The encoding of generated numbers.

public import Bluetooth

/// A number format: those of `ValueFormat`, and the two of medical devices.
public enum NumberFormat: Sendable, Hashable {
  /// `u8`, `i16be`, `f32` and so on; integer formats round.
  case plain(ValueFormat)
  /// The 32-bit FLOAT with this many decimals.
  case medicalFloat(decimals: Int)
  /// The 16-bit SFLOAT with this many decimals.
  case shortMedicalFloat(decimals: Int)

  /// Encodes a number.
  ///
  /// - Returns: nil if the number is out of range, or the format is a text format.
  /// - Source: IEEE 11073-20601, Annex F.8 and F.9; Personal Health Devices Transcoding White
  ///   Paper, §2.2.2.
  public func encode(_ value: Double) -> [UInt8]? {
    guard value.isFinite else { return nil }
    switch self {
    case .plain(let format):
      if format.name.hasPrefix("f") { return try? format.encode("\(value)") }
      guard format.whole != nil, let whole = Int64(exactly: value.rounded()) else { return nil }
      return try? format.encode("\(whole)")
    case .medicalFloat(let decimals):
      return Self.mantissa(value, decimals)
        .flatMap { MedicalFloat.bits(mantissa: $0, exponent: -decimals) }
        .map { bits in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    case .shortMedicalFloat(let decimals):
      return Self.mantissa(value, decimals)
        .flatMap { MedicalFloat.shortBits(mantissa: $0, exponent: -decimals) }
        .map { bits in [0, 8].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    }
  }

  private static func mantissa(_ value: Double, _ decimals: Int) -> Int? {
    guard (0...10).contains(decimals) else { return nil }
    var scaled = value
    for _ in 0..<decimals { scaled *= 10 }
    return Int(exactly: scaled.rounded())
  }
}
