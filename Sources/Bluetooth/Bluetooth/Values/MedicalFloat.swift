// The decimal floating-point numbers of medical devices.

/// IEEE 11073 FLOAT (32 bits) and SFLOAT (16 bits): a decimal exponent and an integer mantissa.
///
/// - Source: IEEE 11073-20601:2014, annex F.8.
public enum MedicalFloat {
  /// The value of a 32-bit FLOAT: an 8-bit exponent above a 24-bit mantissa.
  ///
  /// ```swift
  /// print(MedicalFloat.float(0xff00_016e))  // 36.6
  /// ```
  public static func float(_ bits: UInt32) -> Double {
    let exponent = Int(Int8(truncatingIfNeeded: bits >> 24))
    let raw = Int(bits & 0xff_ffff)
    switch raw {
    case 0x7f_ffff, 0x80_0000, 0x80_0001: return .nan
    case 0x7f_fffe: return .infinity
    case 0x80_0002: return -.infinity
    default: return scaled(Double(raw >= 0x80_0000 ? raw - 0x100_0000 : raw), by: exponent)
    }
  }

  /// The value of a 16-bit SFLOAT: a 4-bit exponent above a 12-bit mantissa.
  ///
  /// ```swift
  /// print(MedicalFloat.sfloat(0xf16e))  // 36.6
  /// ```
  public static func sfloat(_ bits: UInt16) -> Double {
    let raw = Int(bits & 0xfff)
    switch raw {
    case 0x7ff, 0x800, 0x801: return .nan
    case 0x7fe: return .infinity
    case 0x802: return -.infinity
    default:
      return scaled(Double(raw >= 0x800 ? raw - 0x1000 : raw), by: shortExponent(bits))
    }
  }

  /// The number of decimals of a FLOAT.
  static func decimals(_ bits: UInt32) -> Int {
    min(6, max(0, -Int(Int8(truncatingIfNeeded: bits >> 24))))
  }

  /// The number of decimals of an SFLOAT.
  static func shortDecimals(_ bits: UInt16) -> Int { max(0, -shortExponent(bits)) }

  private static func shortExponent(_ bits: UInt16) -> Int {
    let exponent = Int(bits >> 12)
    return exponent >= 8 ? exponent - 16 : exponent
  }

  /// `mantissa × 10^exponent`.
  static func scaled(_ mantissa: Double, by exponent: Int) -> Double {
    var power = 1.0
    for _ in 0..<abs(exponent) { power *= 10 }
    // Division is exact for 36.6: 366 / 10, not 366 × 0.1.
    return exponent < 0 ? mantissa / power : mantissa * power
  }
}
