// The decimal floating-point numbers of medical devices, both ways.

import Bluetooth
import Testing

@Suite("Medical floating-point numbers")
struct MedicalFloatTests {
  @Test(
    "a FLOAT has an exponent in its top byte and a mantissa of 24 bits",
    arguments: [
      // 366 × 10^-1: exponent 0xff = -1, mantissa 0x00016e = 366.
      (36.6, 1, 0xff00_016e), (0, 0, 0), (-0.1, 1, 0xffff_ffff),
      // The decimals that were asked for: 3660 × 10^-2.
      (36.6, 2, 0xfe00_0e4c),
      // More decimals than asked for, where the value has them: 1234 × 10^-3.
      (1.234, 0, 0xfd00_04d2),
      // Too large for the mantissa of 8388605: 10^10 = 1000000 × 10^4 (0x0f4240).
      (10_000_000_000, 0, 0x040f_4240),
      // The largest mantissa without an exponent, 0x7ffffd.
      (8_388_605, 0, 0x007f_fffd),
      // The mantissas of the special values, with another exponent than theirs, 0.
      (838_860.7, 1, 0xff7f_ffff), (838_860.6, 1, 0xff7f_fffe), (-838_860.8, 1, 0xff80_0000),
      (-838_860.6, 1, 0xff80_0002), (83_886_070, 0, 0x017f_ffff),
    ] as [(Double, Int, UInt32)]
  )
  func float(value: Double, decimals: Int, bits: UInt32) {
    #expect(MedicalFloat.bits(value, decimals: decimals) == bits)
    #expect(MedicalFloat.float(bits) == value)
  }

  @Test(
    "an SFLOAT has an exponent of 4 bits above a mantissa of 12 bits",
    arguments: [
      // 366 × 10^-1: 0xf, 0x16e. 120: 0x078. -1 × 10^-1: 0xf, 0xfff.
      (36.6, 1, 0xf16e), (120, 0, 0x0078), (-0.1, 1, 0xffff),
      // 2045 = 0x7fd is the largest mantissa without an exponent; 3000 is 300 × 10.
      (2045, 0, 0x07fd), (3000, 0, 0x112c), (-2045, 0, 0x0803),
      // The mantissas of the special values, with another exponent than theirs, 0.
      (204.7, 1, 0xf7ff), (204.6, 1, 0xf7fe), (-204.8, 1, 0xf800), (-204.7, 1, 0xf801),
      (-204.6, 1, 0xf802), (20.47, 2, 0xe7ff), (20_470, 0, 0x17ff),
      // The smallest step: 10^-8, exponent 0x8.
      (0.000_000_01, 8, 0x8001),
    ] as [(Double, Int, UInt16)]
  )
  func shortFloat(value: Double, decimals: Int, bits: UInt16) {
    #expect(MedicalFloat.shortBits(value, decimals: decimals) == bits)
    #expect(MedicalFloat.sfloat(bits) == value)
  }

  @Test("inexact values are rounded")
  func rounded() {
    // 12345 is too large: 1234.5 × 10, where halves go up: 1235 (0x4d3) × 10.
    #expect(MedicalFloat.shortBits(12_345, decimals: 0) == 0x14d3)
    // 2046 is positive infinity, and -2047 is reserved: the next exponent.
    #expect(MedicalFloat.shortBits(2046, decimals: 0) == 0x10cd)
    #expect(MedicalFloat.shortBits(-2047, decimals: 0) == 0x1f33)
    // 333 (0x14d) × 10^-3; a fourth decimal would take a mantissa of 3333.
    #expect(MedicalFloat.shortBits(1.0 / 3, decimals: 1) == 0xd14d)
  }

  @Test("a value that is too large has no encoding")
  func tooLarge() {
    // 2047 × 10^7 is the largest SFLOAT, 8388607 × 10^127 the largest FLOAT.
    #expect(MedicalFloat.shortBits(20_470_000_000, decimals: 0) == 0x77ff)
    #expect(MedicalFloat.shortBits(20_480_000_000, decimals: 0) == nil)
    #expect(MedicalFloat.shortBits(-20_480_000_000, decimals: 0) == 0x7800)
    #expect(MedicalFloat.bits(1e134, decimals: 0) == nil)
  }

  @Test(
    "special values have their own bits, and are NaN or infinite in Swift",
    arguments: [
      (.notANumber, 0x007f_ffff, 0x07ff, "nan"), (.notAtThisResolution, 0x0080_0000, 0x0800, "nan"),
      (.positiveInfinity, 0x007f_fffe, 0x07fe, "inf"),
      (.negativeInfinity, 0x0080_0002, 0x0802, "-inf"), (.reserved, 0x0080_0001, 0x0801, "nan"),
    ] as [(MedicalFloat.Special, UInt32, UInt16, String)]
  )
  func special(special: MedicalFloat.Special, bits: UInt32, short: UInt16, text: String) {
    #expect(MedicalFloat.bits(special) == bits)
    #expect(MedicalFloat.shortBits(special) == short)
    #expect(MedicalFloat.special(bits) == special)
    #expect(MedicalFloat.special(short: short) == special)
    #expect("\(MedicalFloat.float(bits))" == text)
    #expect("\(MedicalFloat.sfloat(short))" == text)
  }

  @Test(
    "ordinary numbers do not decode as special values; NaN and infinity encode as special values"
  )
  func ordinary() {
    #expect(MedicalFloat.special(0x007f_fffd) == nil)
    #expect(MedicalFloat.special(short: 0x0803) == nil)
    #expect(MedicalFloat.special(0xff7f_ffff) == nil)
    #expect(MedicalFloat.special(short: 0xf7ff) == nil)
    #expect(MedicalFloat.bits(.nan, decimals: 1) == 0x007f_ffff)
    #expect(MedicalFloat.bits(-.infinity, decimals: 1) == 0x0080_0002)
    #expect(MedicalFloat.shortBits(.nan, decimals: 1) == 0x07ff)
    #expect(MedicalFloat.shortBits(.infinity, decimals: 1) == 0x07fe)
  }

  @Test("every SFLOAT but five decodes and encodes to itself")
  func everyShort() {
    let special = (UInt16.min ... .max).filter { MedicalFloat.special(short: $0) != nil }
    #expect(special == [0x07fe, 0x07ff, 0x0800, 0x0801, 0x0802])
    for bits in UInt16.min ... .max where MedicalFloat.special(short: bits) == nil {
      let value = MedicalFloat.sfloat(bits)
      let again = MedicalFloat.shortBits(value, decimals: 0).map { MedicalFloat.sfloat($0) }
      guard again == value else {
        Issue.record("\(bits): \(value) became \(String(describing: again))")
        return
      }
    }
  }
}
