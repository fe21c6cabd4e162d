// Temperatures of the Health Thermometer service.

import Bluetooth
import Testing

@Suite("Values of the Health Thermometer service")
struct ThermometerValueTests {
  @Test(
    "thermometer values are decoded and printed",
    arguments: [
      // Flags 0: °C. FLOAT 0xff00016e: 366 × 10^-1.
      ValueVector(0x2a1c, [0x00, 0x6e, 0x01, 0x00, 0xff], "36.6 °C"),
      // Bit 0: °F. 0x3da = 986; (98.6 - 32) × 5/9 = 37.
      ValueVector(0x2a1c, [0x01, 0xda, 0x03, 0x00, 0xff], "37.0 °C, 98.6 °F"),
      // Bit 1: 0x07ea = 2026, then month to second. Bit 2: type 2.
      ValueVector(
        0x2a1c,
        [0x06, 0x6e, 0x01, 0x00, 0xff, 0xea, 0x07, 1, 31, 23, 59, 0, 2],
        "36.6 °C, timestamp 2026-01-31 23:59:00, type body"
      ),
      // A clock that was never set: year, month and day 0.
      ValueVector(
        0x2a1e,
        [0x02, 0x25, 0x00, 0x00, 0x00, 0, 0, 0, 0, 0, 1, 2],
        "37 °C, timestamp 0000-00-00 00:01:02"
      ),
      // NaN, NRes, infinities, reserved.
      ValueVector(0x2a1c, [0, 0xff, 0xff, 0x7f, 0], "celsius not a number"),
      ValueVector(0x2a1c, [0, 0, 0, 0x80, 0], "celsius not at this resolution"),
      ValueVector(0x2a1c, [0, 0xfe, 0xff, 0x7f, 0], "celsius positive infinity"),
      ValueVector(0x2a1c, [0, 2, 0, 0x80, 0], "celsius negative infinity"),
      ValueVector(0x2a1c, [0, 1, 0, 0x80, 0], "celsius reserved"),
      ValueVector(0x2a1d, [6], "mouth"),
      // 0x012c = 300.
      ValueVector(0x2a21, [0x2c, 0x01], "300 s"),
    ]
  )
  func values(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a1c, [], "flags, byte 0: expected 1 byte, found 0"),
      MalformedVector(0x2a1c, [0, 1, 2], "temperature, byte 1: expected 4 bytes, found 2"),
      MalformedVector(
        0x2a1c,
        [2, 0, 0, 0, 0, 0xea, 7, 1],
        "timestamp, byte 8: expected 1 byte, found 0"
      ),
      MalformedVector(0x2a1c, [4, 0, 0, 0, 0], "type, byte 5: expected 1 byte, found 0"),
      MalformedVector(0x2a21, [1], "seconds, byte 0: expected 2 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }

  @Test("a temperature is sent in the unit in which it is given")
  func units() throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a1c)))
    let celsius = DecodedValue.Field("celsius", .real(36.6, decimals: 1))
    let fahrenheit = DecodedValue.Field("fahrenheit", .real(98.6, decimals: 1))
    #expect(try encode(.fields([celsius])) == [0, 0x6e, 0x01, 0x00, 0xff])
    #expect(try encode(.fields([fahrenheit])) == [1, 0xda, 0x03, 0x00, 0xff])
    #expect(try encode(.fields([celsius, fahrenheit])) == [1, 0xda, 0x03, 0x00, 0xff])
    #expect(throws: ValueError(field: "fahrenheit", octet: 0, problem: "'warm' is not a FLOAT")) {
      try encode(.fields([.init("fahrenheit", .text("warm"))]))
    }
    #expect(throws: ValueError(field: "celsius", octet: 0, problem: "missing")) {
      try encode(.fields([.init("type", .text("body"))]))
    }
  }
}
