// Moving numbers, encoded and decoded again.

import Bluetooth
import SimulatedDevices
import Testing

@Suite("Number formats")
struct NumberFormatTests {
  @Test(
    "a medical float comes back as it was",
    arguments: [(36.6, 1), (-0.25, 2), (0, 0), (8_388_605, 0), (-8_388_605, 0), (1e-8, 8)]
      as [(Double, Int)]
  )
  func medicalFloat(value: Double, decimals: Int) throws {
    let octets = try #require(NumberFormat.medicalFloat(decimals: decimals).encode(value))
    let bits = octets.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    #expect(MedicalFloat.float(bits) == value)
  }

  @Test("36.6 has the bytes of the white paper")
  func octets() {
    #expect(NumberFormat.medicalFloat(decimals: 1).encode(36.6) == [0x6e, 0x01, 0x00, 0xff])
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(36.6) == [0x6e, 0xf1])
  }

  @Test(
    "a short medical float comes back as it was",
    arguments: [(98.6, 1), (-2.5, 1), (2045, 0), (-2045, 0), (0.00000001, 8)] as [(Double, Int)]
  )
  func shortMedicalFloat(value: Double, decimals: Int) throws {
    let octets = try #require(NumberFormat.shortMedicalFloat(decimals: decimals).encode(value))
    #expect(MedicalFloat.sfloat(UInt16(octets[1]) << 8 | UInt16(octets[0])) == value)
  }

  @Test("a number out of range is nothing, rather than a special value")
  func noRoom() throws {
    #expect(NumberFormat.medicalFloat(decimals: 0).encode(8_388_606) == nil)
    #expect(NumberFormat.medicalFloat(decimals: 11).encode(0) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(204.6) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 9).encode(0) == nil)
    #expect(NumberFormat.plain(try format("u8")).encode(256) == nil)
    #expect(NumberFormat.plain(try format("u8")).encode(-1) == nil)
    #expect(NumberFormat.plain(try format("u32")).encode(.nan) == nil)
    #expect(NumberFormat.plain(try format("utf8")).encode(1) == nil)
    #expect(NumberFormat.plain(try format("hex")).encode(1) == nil)
  }

  @Test("plain formats round to what they hold")
  func plain() throws {
    #expect(NumberFormat.plain(try format("u8")).encode(74.5) == [75])
    #expect(NumberFormat.plain(try format("i16be")).encode(-2.4) == [0xff, 0xfe])
    #expect(NumberFormat.plain(try format("f32be")).encode(0.5) == [0x3f, 0, 0, 0])
  }
}
