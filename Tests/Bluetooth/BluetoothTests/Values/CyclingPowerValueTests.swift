// Power of cyclists.

import Bluetooth
import Testing

@Suite("Values of the Cycling Power service")
struct CyclingPowerValueTests {
  @Test(
    "cycling power measurements are decoded and printed",
    arguments: [
      // Flags 0: 0x00fa = 250 W.
      ValueVector(
        0x2a63,
        [0, 0, 0xfa, 0],
        "250 W, balance-reference unknown, torque-source wheel, offset-compensation no"
      ),
      // Negative power: 0xfff6 = -10. Bits 0 and 1: balance 101/2 % of the left. Bits 2 and 3:
      // 0x0140 = 320/32 N·m at the crank.
      ValueVector(
        0x2a63,
        [0x0f, 0, 0xf6, 0xff, 101, 0x40, 0x01],
        "-10 W, balance 50.5 %, balance-reference left, 10.000 N·m, torque-source crank, "
          + "offset-compensation no"
      ),
      // Bits 4 and 5: 1000 (0x03e8) turns of the wheel, 0x0800 = 2048/2048 s; 100 turns of the
      // crank, 0x0200 = 512/1024 s.
      ValueVector(
        0x2a63,
        [0x30, 0, 0, 0, 0xe8, 3, 0, 0, 0, 8, 100, 0, 0, 2],
        "0 W, balance-reference unknown, torque-source wheel, wheel-revolutions 1000, "
          + "wheel-time 1.000 s, crank-revolutions 100, crank-time 0.500 s, offset-compensation no"
      ),
      // Bits 6 and 7: forces 300 (0x012c) and -5, torques 64/32 and -32/32 N·m.
      ValueVector(
        0x2a63,
        [0xc0, 0, 0, 0, 0x2c, 1, 0xfb, 0xff, 64, 0, 0xe0, 0xff],
        "0 W, balance-reference unknown, torque-source wheel, greatest-force 300 N, "
          + "least-force -5 N, greatest-torque 2.000 N·m, least-torque -1.000 N·m, offset-compensation no"
      ),
      // Bits 8 to 12 (0x1f00): 12 bits each, 0x10e = 270 below 0x05a = 90: 0x05a10e;
      // dead spots at 10 and 190 (0xbe), 42 kJ.
      ValueVector(
        0x2a63,
        [0, 0x1f, 0, 0, 0x0e, 0xa1, 0x05, 10, 0, 0xbe, 0, 42, 0],
        "0 W, balance-reference unknown, torque-source wheel, greatest-angle 270 °, least-angle 90 °, "
          + "top-dead-spot 10 °, bottom-dead-spot 190 °, 42 kJ, offset-compensation yes"
      ),
    ]
  )
  func measurements(vector: ValueVector) throws { try vector.check() }

  @Test(
    "cycling power vectors and features are decoded and printed",
    arguments: [
      ValueVector(0x2a64, [0], "direction unknown"),
      // Bits 0 to 2, and 1 in bits 4 and 5: 7 turns, 1 s, from 45°, forces 1 and -1.
      ValueVector(
        0x2a64,
        [0x17, 7, 0, 0, 4, 45, 0, 1, 0, 0xff, 0xff],
        "crank-revolutions 7, 1.000 s, 45 °, 1, -1 N, direction tangential"
      ),
      // Bit 3: torques 16/32 and 48/32.
      ValueVector(0x2a64, [0x38, 16, 0, 48, 0], "0.500, 1.500 N·m, direction lateral"),
      // 0x0021_0001: bits 0 and 16, and 2 in bits 20 and 21.
      ValueVector(
        0x2a65,
        [0x01, 0x00, 0x21, 0x00],
        "balance yes, torque no, wheel-revolutions no, crank-revolutions no, "
          + "extreme-magnitudes no, extreme-angles no, dead-spots no, energy no, "
          + "offset-compensation-indicator no, offset-compensation no, content-masking no, "
          + "multiple-locations no, crank-length no, chain-length no, chain-weight no, "
          + "span-length no, context torque, direction no, factory-calibration-date no, "
          + "enhanced-offset-compensation no, distributed-system for use"
      ),
    ]
  )
  func vectors(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a63, [0], "flags, byte 0: expected 2 bytes, found 1"),
      MalformedVector(0x2a63, [0, 0, 1], "power, byte 2: expected 2 bytes, found 1"),
      MalformedVector(
        0x2a63,
        [0, 1, 0, 0, 1, 2],
        "extreme angles, byte 4: expected 3 bytes, found 2"
      ),
      MalformedVector(0x2a64, [4, 1, 0, 2], "forces, byte 3: expected 2 bytes, found 1"),
      MalformedVector(0x2a65, [1, 2, 3], "features, byte 0: expected 4 bytes, found 3"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
