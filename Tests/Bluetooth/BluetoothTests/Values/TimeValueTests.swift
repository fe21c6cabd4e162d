// Dates, times and clocks.

import Bluetooth
import Testing

@Suite("Values of the time services")
struct TimeValueTests {
  @Test(
    "time values are decoded and printed",
    arguments: [
      // 0x07ea = 2026; month, day, hours, minutes, seconds.
      ValueVector(0x2a08, [0xea, 0x07, 12, 31, 23, 59, 58], "2026-12-31 23:59:58"),
      ValueVector(0x2a09, [1], "Monday"), ValueVector(0x2a09, [0], "unknown"),
      ValueVector(
        0x2a0a,
        [0xea, 0x07, 1, 1, 0, 0, 0, 4],
        "time 2026-01-01 00:00:00, day Thursday"
      ),
      // 128/256 s.
      ValueVector(
        0x2a0c,
        [0xea, 0x07, 1, 1, 0, 0, 0, 4, 128],
        "time 2026-01-01 00:00:00, day Thursday, 0.500 s"
      ),
      // Reasons 0x05: bits 0 and 2.
      ValueVector(
        0x2a2b,
        [0xea, 0x07, 1, 1, 0, 0, 0, 4, 64, 5],
        "time 2026-01-01 00:00:00, day Thursday, 0.250 s, set-by-hand yes, "
          + "set-by-reference no, zone-changed yes, summer-time-changed no"
      ),
      // Quarters of an hour: 4 is one hour east, 0xf2 = -14 is 3.5 hours west, 0x80 not known.
      ValueVector(0x2a0f, [4, 4], "1.00 h, summer-time one hour"),
      ValueVector(0x2a0f, [0xf2, 0], "-3.50 h, summer-time standard time"),
      ValueVector(0x2a0f, [0x80, 0xff], "zone unknown, summer-time unknown"),
      ValueVector(0x2a0e, [23], "5.75 h"), ValueVector(0x2a0d, [2], "half an hour"),
      ValueVector(
        0x2a11,
        [0xea, 0x07, 3, 29, 2, 0, 0, 4],
        "time 2026-03-29 02:00:00, summer-time one hour"
      ),
      // Eighths of a second: 4 is 0.5 s.
      ValueVector(0x2a14, [1, 4, 2, 3], "source network time protocol, 0.500 s, 2 d, 3 h"),
      ValueVector(
        0x2a14,
        [2, 0xfe, 0xff, 0xff],
        "source GPS, accuracy worse than 31.625 s, days 255 or more, hours 255 days or more"
      ),
      ValueVector(0x2a12, [0xff], "accuracy unknown"), ValueVector(0x2a13, [5], "atomic clock"),
      ValueVector(0x2a16, [2], "cancel reference update"),
      ValueVector(0x2a17, [1, 0], "state update pending, result successful"),
    ]
  )
  func values(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a08, [0xea, 7, 1], "time, byte 3: expected 1 byte, found 0"),
      MalformedVector(
        0x2a2b,
        [0xea, 7, 1, 1, 0, 0, 0, 4, 64],
        "adjust reason, byte 9: expected 1 byte, found 0"
      ),
      MalformedVector(0x2a0f, [4], "summer-time, byte 1: expected 1 byte, found 0"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }

  @Test(
    "an invalid time is refused",
    arguments: [
      "yesterday", "2026-01-01", "2026-13-01 00:00:00", "2026-02-29 00:00:00",
      "70000-01-01 00:00:00", "2026-01-01 00:00:300",
    ]
  )
  func refused(text: String) throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a08)))
    #expect(
      throws: ValueError(field: "time", octet: 0, problem: "'\(text)' is not a date and time")
    ) {
      try encode(.text(text))
    }
  }
}
