// Heart rates, their sensors and commands.

import Bluetooth
import Testing

@Suite("Values of the Heart Rate service")
struct HeartRateValueTests {
  @Test(
    "heart rate values are decoded and printed",
    arguments: [
      // Flags 0x00: one octet, contact not sensed. 72.
      ValueVector(0x2a37, [0x00, 72], "72 bpm"),
      // Bit 0: two octets. 0x012c = 300.
      ValueVector(0x2a37, [0x01, 0x2c, 0x01], "300 bpm"),
      // A rate of 60 in two octets takes one when it is encoded.
      ValueVector(0x2a37, [0x01, 60, 0], "60 bpm", encoded: [0x00, 60]),
      // Bit 2: contact can be sensed; bit 1: there is contact.
      ValueVector(0x2a37, [0x06, 61], "61 bpm, contact yes"),
      ValueVector(0x2a37, [0x04, 61], "61 bpm, contact no"),
      // Bit 1 means nothing without bit 2; bits 5 to 7 are reserved.
      ValueVector(0x2a37, [0xe2, 61], "61 bpm", encoded: [0x00, 61]),
      // Bit 3: 0x0203 = 515 kJ. Bit 4: 0x0400 = 1024/1024 s, 0x0200 = 0.5 s.
      ValueVector(
        0x2a37,
        [0x18, 60, 0x03, 0x02, 0x00, 0x04, 0x00, 0x02],
        "60 bpm, 515 kJ, 1.000, 0.500 s"
      ),
      // Bit 4 and no interval.
      ValueVector(0x2a37, [0x10, 60], "60 bpm, rr-intervals none"),
      ValueVector(0x2a38, [1], "chest"), ValueVector(0x2a38, [6], "foot"),
      ValueVector(0x2a39, [1], "reset energy expended"),
    ]
  )
  func values(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a37, [], "flags, byte 0: expected 1 byte, found 0"),
      MalformedVector(0x2a37, [0], "bpm, byte 1: expected 1 byte, found 0"),
      MalformedVector(0x2a37, [1, 60], "bpm, byte 1: expected 2 bytes, found 1"),
      MalformedVector(0x2a37, [8, 60, 1], "energy-expended, byte 2: expected 2 bytes, found 1"),
      MalformedVector(
        0x2a37,
        [0x10, 60, 0, 4, 1],
        "rr-intervals, byte 4: expected 2 bytes, found 1"
      ),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }

  @Test("the flags are derived from the fields that are given")
  func flags() throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a37)))
    #expect(try encode(.integer(72)) == [0, 72])
    #expect(try encode(.fields([.init("bpm", .integer(300))])) == [1, 0x2c, 1])
    let contact = DecodedValue.Field("contact", .boolean(false))
    #expect(try encode(.fields([contact, .init("bpm", .integer(72))])) == [4, 72])
  }

  @Test(
    "a value that cannot be encoded throws an error",
    arguments: [
      ([.init("bpm", .integer(65_536))], "bpm, byte 0: 65536 is not in 0 to 65535"),
      ([.init("bpm", .text("fast"))], "bpm, byte 0: 'fast' is not a number"),
      ([.init("contact", .boolean(true))], "bpm, byte 0: missing"),
      (
        [.init("bpm", .integer(60)), .init("pulse", .integer(60))],
        "pulse, byte 0: unknown field of heart rate measurement"
      ),
      (
        [.init("bpm", .integer(60)), .init("contact", .integer(3))],
        "contact, byte 0: '3' cannot be sent"
      ),
    ] as [([DecodedValue.Field], String)]
  )
  func refused(fields: [DecodedValue.Field], complaint: String) throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a37)))
    do throws(ValueError) {
      let octets = try encode(.fields(fields))
      Issue.record("it became \(octets)")
    } catch {
      #expect(error.description == complaint)
    }
  }
}
