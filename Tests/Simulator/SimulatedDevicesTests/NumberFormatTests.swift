// Moving numbers, encoded and decoded again.

import Bluetooth
import SimulatedDevices
import Testing

@Suite("Number formats")
struct NumberFormatTests {
  @Test("36.6 is encoded as in the white paper")
  func octets() {
    #expect(NumberFormat.medicalFloat(decimals: 1).encode(36.6) == [0x6e, 0x01, 0x00, 0xff])
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(36.6) == [0x6e, 0xf1])
  }

  @Test("the mantissas of special values are ordinary numbers with decimals")
  func decimals() {
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(204.7) == [0xff, 0xf7])
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(-204.8) == [0x00, 0xf8])
    #expect(
      NumberFormat.medicalFloat(decimals: 1).encode(838_860.7) == [0xff, 0xff, 0x7f, 0xff]
    )
  }

  @Test("a number out of range has no encoding, rather than a special value")
  func noRoom() throws {
    #expect(NumberFormat.medicalFloat(decimals: 0).encode(8_388_606) == nil)
    #expect(NumberFormat.medicalFloat(decimals: 11).encode(0) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 0).encode(2046) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 0).encode(-2046) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 1).encode(204.8) == nil)
    #expect(NumberFormat.shortMedicalFloat(decimals: 9).encode(0) == nil)
    #expect(NumberFormat.plain(try format("u8")).encode(256) == nil)
    #expect(NumberFormat.plain(try format("u8")).encode(-1) == nil)
    #expect(NumberFormat.plain(try format("u32")).encode(.nan) == nil)
    #expect(NumberFormat.plain(try format("utf8")).encode(1) == nil)
    #expect(NumberFormat.plain(try format("hex")).encode(1) == nil)
  }

  @Test("plain formats round to their resolution")
  func plain() throws {
    #expect(NumberFormat.plain(try format("u8")).encode(74.5) == [75])
    #expect(NumberFormat.plain(try format("i16be")).encode(-2.4) == [0xff, 0xfe])
    #expect(NumberFormat.plain(try format("f32be")).encode(0.5) == [0x3f, 0, 0, 0])
  }
}
