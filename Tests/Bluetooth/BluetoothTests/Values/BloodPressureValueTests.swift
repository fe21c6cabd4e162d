// Blood pressures.

import Bluetooth
import Testing

@Suite("Values of the Blood Pressure service")
struct BloodPressureValueTests {
  @Test(
    "blood pressure values are decoded and printed",
    arguments: [
      // Flags 0: mmHg. SFLOATs with exponent 0: 0x078 = 120, 0x050 = 80, 0x05d = 93.
      ValueVector(
        0x2a35,
        [0, 0x78, 0, 0x50, 0, 0x5d, 0],
        "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg"
      ),
      // Bit 0: kPa. 0xf0a0 = 160 × 10^-1 = 16.0; 16000 Pa / 133.322387415 = 120.01 mmHg.
      // 0xf06b = 107 × 10^-1, 80.26 mmHg. 0x07ff: NaN.
      ValueVector(
        0x2a35,
        [1, 0xa0, 0xf0, 0x6b, 0xf0, 0xff, 0x07],
        "systolic 120.0 mmHg, systolic-kilopascals 16.0 kPa, diastolic 80.3 mmHg, "
          + "diastolic-kilopascals 10.7 kPa, mean not a number, mean-kilopascals not a number"
      ),
      // 2047, 1200 and 1500 × 10^-1: the mantissa of NaN, with another exponent.
      ValueVector(
        0x2a35, [0, 0xff, 0xf7, 0xb0, 0xf4, 0xdc, 0xf5],
        "systolic 204.7 mmHg, diastolic 120.0 mmHg, mean 150.0 mmHg"
      ),
      // Bits 1 to 4: 2026-03-01 08:30:15, pulse 72, user 2, status 0x000c: bit 2, and 1 in bits
      // 3 and 4.
      ValueVector(
        0x2a35,
        [
          0x1e, 0x78, 0, 0x50, 0, 0x5d, 0, 0xea, 0x07, 3, 1, 8, 30, 15, 72, 0, 2, 0x0c, 0,
        ],
        "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg, timestamp 2026-03-01 08:30:15, "
          + "72 bpm, user 2, movement no, loose-cuff no, irregular-pulse yes, pulse-range above, "
          + "improper-position no"
      ),
      // User 255 is unknown; bits 6 and 7 are reserved.
      ValueVector(
        0x2a35, [0xc8, 0x78, 0, 0x50, 0, 0x5d, 0, 0xff],
        "systolic 120 mmHg, diastolic 80 mmHg, mean 93 mmHg, user unknown",
        encoded: [0x08, 0x78, 0, 0x50, 0, 0x5d, 0, 0xff]
      ),
      // The pressure of the cuff; the other two are NaN whatever was sent.
      ValueVector(0x2a36, [0, 0x96, 0, 0xff, 7, 0xff, 7], "150 mmHg"),
      ValueVector(
        0x2a36, [4, 0x96, 0, 0, 0, 0, 0, 72, 0], "150 mmHg, 72 bpm",
        encoded: [4, 0x96, 0, 0xff, 7, 0xff, 7, 72, 0]
      ),
      // Bits 0 and 5.
      ValueVector(
        0x2a49,
        [0x21, 0],
        "movement yes, loose-cuff no, irregular-pulse no, pulse-range no, "
          + "improper-position no, multiple-bonds yes, checksum no, user-data no, "
          + "user-facing-time no"
      ),
    ]
  )
  func values(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a35, [0, 0x78, 0], "diastolic, byte 3: expected 2 bytes, found 0"),
      MalformedVector(
        0x2a35,
        [1, 0x78],
        "systolic-kilopascals, byte 1: expected 2 bytes, found 1"
      ),
      MalformedVector(
        0x2a35,
        [0x10, 0x78, 0, 0x50, 0, 0x5d, 0, 1],
        "measurement status, byte 7: expected 2 bytes, found 1"
      ),
      MalformedVector(0x2a36, [0, 0x96, 0, 0xff], "unused, byte 3: expected 4 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }

  @Test("pressures cannot have both units at once")
  func mixed() throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a35)))
    let complaint = "diastolic-kilopascals, byte 0: cannot be sent with the other fields"
    do throws(ValueError) {
      let octets = try encode(
        .fields([
          .init("systolic", .integer(120)), .init("diastolic-kilopascals", .integer(10)),
          .init("mean", .integer(93)),
        ])
      )
      Issue.record("it became \(octets)")
    } catch {
      #expect(error.description == complaint)
    }
  }
}
