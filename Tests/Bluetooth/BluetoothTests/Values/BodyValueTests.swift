// Weight, body composition and blood oxygen.

import Bluetooth
import Testing

@Suite("Values of scales and oximeters")
struct BodyValueTests {
  @Test(
    "weights are decoded and printed",
    arguments: [
      // Flags 0: kg. 14300 = 0x37dc, × 0.005 = 71.5.
      ValueVector(0x2a9d, [0, 0xdc, 0x37], "71.500 kg"),
      // Bit 0: lb. 15000 = 0x3a98, × 0.01 = 150; × 0.45359237 = 68.0389 kg.
      ValueVector(0x2a9d, [1, 0x98, 0x3a], "68.039 kg, 150.00 lb"),
      // Bits 1 to 3: time, user 3, BMI 225 (0xe1) × 0.1, height 1783 (0x06f7) mm.
      ValueVector(
        0x2a9d,
        [0x0e, 0xdc, 0x37, 0xea, 7, 1, 2, 3, 4, 5, 3, 0xe1, 0, 0xf7, 0x06],
        "71.500 kg, timestamp 2026-01-02 03:04:05, user 3, 22.5 kg/m², 1.783 m"
      ),
      // Bits 0 and 3: height 702 (0x02be) × 0.1 in = 70.2 in, 1.78308 m.
      ValueVector(
        0x2a9d,
        [0x09, 0x98, 0x3a, 0xe1, 0, 0xbe, 0x02],
        "68.039 kg, 150.00 lb, 22.5 kg/m², 1.783 m, 70.2 in"
      ),
      // 0xffff: the measurement was not successful. User 255 is unknown.
      ValueVector(0x2a9d, [4, 0xff, 0xff, 0xff], "kilograms unsuccessful, user unknown"),
      // 0x000000bd: bits 0 and 2, 7 in bits 3 to 6, 1 in bits 7 to 9.
      ValueVector(
        0x2a9e,
        [0xbd, 0, 0, 0],
        "timestamp yes, multiple-users no, bmi yes, "
          + "weight-resolution 0.005 kg or 0.01 lb, height-resolution 0.01 m or 1 in"
      ),
    ]
  )
  func weights(vector: ValueVector) throws { try vector.check() }

  @Test(
    "body compositions are decoded and printed",
    arguments: [
      // Flags 0: fat 221 (0xdd) × 0.1 %.
      ValueVector(0x2a9c, [0, 0, 0xdd, 0], "fat 22.1 %, continued no"),
      ValueVector(0x2a9c, [0, 0, 0xff, 0xff], "fat unsuccessful, continued no"),
      // Bits 3 to 6 (0x0078): 7000 (0x1b58) kJ, muscle 40.0 % (0x0190), masses 6000 (0x1770)
      // and 11000 (0x2af8) × 0.005 kg.
      ValueVector(
        0x2a9c,
        [0x78, 0, 0xdd, 0, 0x58, 0x1b, 0x90, 0x01, 0x70, 0x17, 0xf8, 0x2a],
        "fat 22.1 %, 7000 kJ, muscle 40.0 %, muscle-kilograms 30.000 kg, "
          + "fat-free-kilograms 55.000 kg, continued no"
      ),
      // Bits 7 to 12 (0x1f80): lean 50 kg, water 40 kg (8000 = 0x1f40), 5000 (0x1388) × 0.1 Ω,
      // 71.5 kg, 1.783 m.
      ValueVector(
        0x2a9c,
        [
          0x80, 0x1f, 0xdd, 0, 0x10, 0x27, 0x40, 0x1f, 0x88, 0x13, 0xdc, 0x37, 0xf7, 0x06,
        ],
        "fat 22.1 %, lean-kilograms 50.000 kg, water-kilograms 40.000 kg, 500.0 Ω, "
          + "kilograms 71.500 kg, 1.783 m, continued yes"
      ),
      // Bits 0, 10 and 11 (0x0c01): 150 lb and 70.2 in.
      ValueVector(
        0x2a9c,
        [0x01, 0x0c, 0xdd, 0, 0x98, 0x3a, 0xbe, 0x02],
        "fat 22.1 %, 68.039 kg, 150.00 lb, 1.783 m, 70.2 in, continued no"
      ),
      // 0x00012801: bit 0, 5 in bits 11 to 14 (0x2800), 2 in bits 15 to 17 (0x10000).
      ValueVector(
        0x2a9b,
        [0x01, 0x28, 0x01, 0],
        "timestamp yes, multiple-users no, metabolism no, muscle-percentage no, "
          + "muscle-mass no, fat-free-mass no, lean-mass no, water-mass no, impedance no, "
          + "weight no, height no, mass-resolution 0.02 kg or 0.05 lb, "
          + "height-resolution 0.005 m or 0.5 in"
      ),
    ]
  )
  func compositions(vector: ValueVector) throws { try vector.check() }

  @Test(
    "blood oxygen values are decoded and printed",
    arguments: [
      // Flags 0; SFLOATs 98 and 61.
      ValueVector(0x2a5e, [0, 98, 0, 61, 0], "spo2 98 %, 61 bpm, clock-not-set no"),
      // All of bits 0 to 4: status 0x0120: bits 5 and 8; sensor status 0x000820: bits 5 and 11;
      // amplitude 0xf00c = 1.2 %.
      ValueVector(
        0x2a5e,
        [
          0x1f, 98, 0, 61, 0, 0xea, 7, 1, 2, 3, 4, 5, 0x20, 0x01, 0x20, 0x08, 0, 0x0c, 0xf0,
        ],
        "spo2 98 %, 61 bpm, timestamp 2026-01-02 03:04:05, "
          + "status measurement ongoing, fully qualified, "
          + "sensor-status low perfusion, sensor not on user, amplitude 1.2 %, clock-not-set yes"
      ),
      ValueVector(0x2a5f, [0, 98, 0, 0xff, 7], "spo2 98 %, pulse not a number"),
      // Bits 0, 1 and 4.
      ValueVector(
        0x2a5f,
        [0x13, 98, 0, 61, 0, 97, 0, 62, 0, 96, 0, 60, 0, 5, 0],
        "spo2 98 %, pulse 61 bpm, fast-spo2 97 %, fast-pulse 62 bpm, slow-spo2 96 %, "
          + "slow-pulse 60 bpm, amplitude 5 %"
      ),
      // Bits 2 and 3: a reserved bit of the status, and no bit of the sensor's.
      ValueVector(
        0x2a5f,
        [0x0c, 98, 0, 61, 0, 1, 0, 0, 0, 0],
        "spo2 98 %, 61 bpm, status bit 0, sensor-status none"
      ),
      // Bits 0, 1 and 6; statuses 0x8000: bit 15; sensor statuses 0x008001: bits 0 and 15.
      ValueVector(
        0x2a60,
        [0x43, 0, 0x00, 0x80, 0x01, 0x80, 0x00],
        "status yes, sensor-status yes, storage no, timestamp no, fast no, slow no, "
          + "amplitude yes, multiple-bonds no, statuses invalid measurement, "
          + "sensor-statuses extended display update, sensor disconnected"
      ),
    ]
  )
  func oxygen(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a9d, [0, 1], "kilograms, byte 1: expected 2 bytes, found 1"),
      MalformedVector(0x2a9d, [9, 1, 0, 2, 0], "inches, byte 5: expected 2 bytes, found 0"),
      MalformedVector(0x2a9c, [0, 0], "fat, byte 2: expected 2 bytes, found 0"),
      MalformedVector(
        0x2a9c,
        [1, 4, 0, 0, 1],
        "pounds, byte 4: expected 2 bytes, found 1"
      ),
      MalformedVector(0x2a5e, [0, 98, 0], "pulse, byte 3: expected 2 bytes, found 0"),
      MalformedVector(
        0x2a5e,
        [4, 98, 0, 61, 0, 1, 2],
        "sensor-status, byte 5: expected 3 bytes, found 2"
      ),
      MalformedVector(0x2a60, [1, 0, 1], "statuses, byte 2: expected 2 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
