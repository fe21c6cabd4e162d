// Values that are longer than the specification says, and values that are outside its ranges.

import Bluetooth
import Testing

@Suite("Values beyond the specification")
struct ValueRangeTests {
  @Test(
    "bytes after the known fields are shown, and encoded again",
    arguments: [
      // Bit 5 is reserved: it announces a field that is not known, and is not sent again.
      ValueVector(0x2a37, [0x20, 72, 1], "72 bpm, further 01", encoded: [0, 72, 1]),
      ValueVector(0x2a38, [1, 2, 3], "location chest, further 0203"),
      ValueVector(0x2a19, [87, 0], "87 %, further 00"),
      ValueVector(
        0x2a2b,
        [0xea, 7, 1, 1, 0, 0, 0, 4, 0, 0, 9],
        "time 2026-01-01 00:00:00, day Thursday, 0.000 s, set-by-hand no, set-by-reference no, "
          + "zone-changed no, summer-time-changed no, further 09"
      ),
      ValueVector(
        0x2a18,
        [0, 1, 0, 0xea, 7, 1, 2, 3, 4, 5, 6],
        "sequence 1, time 2026-01-02 03:04:05, context-follows no, further 06"
      ),
      ValueVector(0x2a1c, [0, 0x6e, 1, 0, 0xff, 1, 2], "36.6 °C, further 0102"),
      ValueVector(
        0x2a35,
        [0, 0x78, 0, 0x50, 0, 0x5d, 0, 1],
        "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg, further 01"
      ),
      ValueVector(
        0x2a63,
        [0, 0, 1, 0, 1],
        "1 W, balance-reference unknown, torque-source wheel, offset-compensation no, further 01"
      ),
      ValueVector(0x2a9d, [0, 1, 0, 9], "0.005 kg, further 09"),
      ValueVector(0x2a6e, [0xfc, 8, 3], "23.00 °C, further 03"),
      ValueVector(0x2a5b, [0, 1, 2], "further 0102"),
      ValueVector(0x2a55, [4, 1], "command request locations, further 01"),
      ValueVector(0x2a52, [3, 0, 1], "procedure abort, operator none, further 01"),
    ]
  )
  func further(vector: ValueVector) throws { try vector.check() }

  @Test("a single quantity is a number, even with bytes after it")
  func number() throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: 0x2a19)))
    #expect(try decode([87, 0]).number == 87)
    #expect(try Characteristic.batteryLevel.decode([87, 0]) == 87)
    #expect(try Characteristic.bodySensorLocation.decode([1, 0]) == "chest")
  }

  @Test(
    "a value outside its range throws an error with the field and the offset",
    arguments: [
      // From a scale that uses the characteristic for its own format: fat of 51.4 %.
      (
        0x2a9c, [0x02, 0xa4, 0x02, 0x02, 0x06, 0x12, 0x1c, 0x0f, 0x25, 0x29, 0, 0, 0, 0],
        "timestamp, byte 6: month 28 is not in 0 to 12"
      ),
      (0x2a9c, [0, 0, 0xe7, 0x07], "fat, byte 2: 202.3 is not in 0 to 100"),
      (0x2a08, [0x02, 6, 18, 28, 0, 0, 0], "time, byte 0: year 1538 is not in 1582 to 9999"),
      (0x2a08, [0xea, 7, 18, 1, 0, 0, 0], "time, byte 2: month 18 is not in 0 to 12"),
      (0x2a08, [0xea, 7, 2, 29, 0, 0, 0], "time, byte 3: day 29 is not in 0 to 28"),
      (0x2a08, [0xea, 7, 4, 31, 0, 0, 0], "time, byte 3: day 31 is not in 0 to 30"),
      (0x2a08, [0xea, 7, 12, 32, 0, 0, 0], "time, byte 3: day 32 is not in 0 to 31"),
      (0x2a08, [0xea, 7, 1, 1, 24, 0, 0], "time, byte 4: hour 24 is not in 0 to 23"),
      (0x2a08, [0xea, 7, 1, 1, 0, 60, 0], "time, byte 5: minute 60 is not in 0 to 59"),
      (0x2a08, [0, 0, 0, 0, 0, 0, 200], "time, byte 6: second 200 is not in 0 to 59"),
      (0x2a0a, [0xea, 7, 1, 1, 0, 0, 0, 8], "day, byte 7: 8 is reserved"),
      (0x2a0e, [60], "zone, byte 0: 15.00 is not in -12 to 14"),
      (0x2a0d, [3], "summer-time, byte 0: 3 is reserved"),
      (0x2a14, [1, 4, 2, 24], "hours, byte 3: 24 is not in 0 to 23"),
      (0x2a19, [101], "percent, byte 0: 101 is not in 0 to 100"),
      (0x2bed, [2, 0, 0, 200], "percent, byte 3: 200 is not in 0 to 100"),
      (0x2bed, [0, 0x06, 0], "wired-power, byte 1: 3 is reserved"),
      (0x2a6f, [0x11, 0x27], "percent, byte 0: 100.01 is not in 0 to 100"),
      (0x2a6e, [0x00, 0x90], "celsius, byte 0: -286.72 is below -273.15"),
      (0x2a1c, [0, 0x50, 0xfb, 0xff, 0], "celsius, byte 1: -1200 is below -273.15"),
      (0x2a1c, [1, 0x50, 0xfb, 0xff, 0], "fahrenheit, byte 1: -1200 is below -459.67"),
      (0x2a5e, [0, 101, 0, 61, 0], "spo2, byte 1: 101 is not in 0 to 100"),
      (0x2a34, [8, 7, 0, 0, 0, 101], "exercise-intensity, byte 5: 101 is not in 0 to 100"),
      (0x2a63, [1, 0, 0, 0, 201], "balance, byte 4: 100.5 is not in 0 to 100"),
      (0x2a73, [0xa0, 0x8c], "direction, byte 0: 360.00 is not in 0 to 359.99"),
      (0x2a07, [21], "dbm, byte 0: 21 is not in -100 to 20"),
      (0x2a38, [7], "location, byte 0: 7 is reserved"),
      (0x2a39, [0], "command, byte 0: 0 is reserved"),
      (0x2a06, [3], "level, byte 0: 3 is reserved"), (0x2a1d, [0], "type, byte 0: 0 is reserved"),
      (0x2a1c, [4, 0x6e, 1, 0, 0xff, 10], "type, byte 5: 10 is reserved"),
      (0x2a5d, [17], "location, byte 0: 17 is reserved"),
      (0x2aa3, [10], "trend, byte 0: 10 is reserved"),
      (
        0x2a18, [2, 1, 0, 0xea, 7, 1, 2, 3, 4, 5, 0x5a, 0xb0, 0x1b],
        "type, byte 12: 11 is reserved"
      ),
    ] as [(UInt16, [UInt8], String)]
  )
  func outside(short: UInt16, octets: [UInt8], complaint: String) throws {
    try MalformedVector(short, octets, complaint, isOutOfRange: true).check()
  }
}
