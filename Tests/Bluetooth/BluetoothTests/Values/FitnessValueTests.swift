// Continuous glucose monitors and fitness machines.

import Bluetooth
import Testing

@Suite("Values of glucose monitors and fitness machines")
struct FitnessValueTests {
  @Test(
    "glucose monitor values are decoded and printed",
    arguments: [
      // Size 6 and no flags: 115 (0x73) mg/dL after 5 minutes.
      ValueVector(0x2aa7, [6, 0, 0x73, 0, 5, 0], "115 mg/dL, 5 min"),
      // Size 13, flags 0x43: calibration (bit 2: recommended), trend 36 (0x24), quality 26
      // (0x1a), and a CRC that no flag announces, which is not encoded.
      ValueVector(
        0x2aa7, [0x0d, 0x43, 0x73, 0, 0x2c, 1, 4, 0x24, 0, 0x1a, 0, 0xe2, 0x34],
        "115 mg/dL, 300 min, calibration calibration recommended, 36 mg/dL/min, quality 26 %",
        encoded: [0x0b, 0x43, 0x73, 0, 0x2c, 1, 4, 0x24, 0, 0x1a, 0]
      ),
      // Flags 0xe0: status, then calibration, then warning.
      ValueVector(
        0x2aa7,
        [9, 0xe0, 0x73, 0, 0, 0, 1, 2, 0x80],
        "115 mg/dL, 0 min, status session stopped, calibration calibration not allowed, "
          + "warning above what can be measured"
      ),
      // A second record behind the first one.
      ValueVector(
        0x2aa7,
        [6, 0, 0x73, 0, 5, 0, 6, 0, 0x74, 0, 10, 0],
        "115 mg/dL, 5 min, further 060074000a00"
      ),
      // Bit 12: the CRC of the four bytes before it.
      ValueVector(
        0x2aa8,
        [0x01, 0x10, 0, 0x59, 0x4b, 0x55],
        "calibration yes, patient-alerts no, hypo-alerts no, hyper-alerts no, rate-alerts no, "
          + "device-alert no, malfunction no, temperature-range no, result-range no, "
          + "low-battery no, sensor-type no, device-fault no, e2e-crc yes, multiple-bonds no, "
          + "multiple-sessions no, trend no, quality no, type interstitial fluid, "
          + "location subcutaneous tissue"
      ),
      // Features 0x018001: bits 0, 15 and 16; type 9 (low), location 5 (high).
      ValueVector(
        0x2aa8,
        [0x01, 0x80, 0x01, 0x59, 0xff, 0xff],
        "calibration yes, patient-alerts no, hypo-alerts no, hyper-alerts no, rate-alerts no, "
          + "device-alert no, malfunction no, temperature-range no, result-range no, "
          + "low-battery no, sensor-type no, device-fault no, e2e-crc no, multiple-bonds no, "
          + "multiple-sessions no, trend yes, quality yes, type interstitial fluid, "
          + "location subcutaneous tissue"
      ),
    ]
  )
  func glucose(vector: ValueVector) throws { try vector.check() }

  @Test(
    "fitness machine values are decoded and printed",
    arguments: [
      // Flags 0x0244: cadence, power and heart rate. 1450 (0x05aa) × 0.01 km/h, 46 / 2 rpm.
      ValueVector(
        0x2ad2,
        [0x44, 0x02, 0xaa, 0x05, 46, 0, 24, 0, 70],
        "14.50 km/h, 23.0 rpm, 24 W, 70 bpm"
      ),
      // Flags 0x0001: more data follows, so there is no speed.
      ValueVector(0x2ad2, [1, 0], ""),
      // Flags 0x1d31: distance 0x010000 = 65536 m, resistance -1, energy, MET 4.5, 60 s, 30 s.
      ValueVector(
        0x2ad2,
        [0x31, 0x1d, 0, 0, 1, 0xff, 0xff, 10, 0, 0xff, 0xff, 0xff, 45, 60, 0, 30, 0],
        "65536 m, resistance -1, 10 kcal, energy-per-hour unknown, energy-per-minute unknown, "
          + "4.5 MET, elapsed 60 s, remaining 30 s"
      ),
      // Flags 0x100c: distance 1500 (0x05dc), inclination 1.5 %, ramp angle 0.9°, force, power.
      ValueVector(
        0x2acd,
        [0x0c, 0x10, 0xe8, 0x03, 0xdc, 0x05, 0, 15, 0, 9, 0, 0xff, 0x7f, 0x2c, 1],
        "10.00 km/h, 1500 m, inclination 1.5 %, 0.9 °, force unknown, 300 W"
      ),
      // Flags 0x0050: elevation gained and lost, average pace.
      ValueVector(
        0x2acd,
        [0x50, 0, 0, 0, 100, 0, 50, 0, 12],
        "0.00 km/h, elevation-gain 10.0 m, elevation-loss 5.0 m, 1.2 km/min"
      ),
      // Flags 0x0228: pace, power and heart rate; 48 / 2 strokes a minute, 100 strokes.
      ValueVector(
        0x2ad1,
        [0x28, 0x02, 48, 100, 0, 120, 0, 150, 0, 99],
        "24.0 1/min, strokes 100, 120 s/500m, 150 W, 99 bpm"
      ),
    ]
  )
  func machines(vector: ValueVector) throws { try vector.check() }

  @Test(
    "fitness machine commands are decoded and printed",
    arguments: [
      ValueVector(0x2ad9, [0], "command request control"),
      ValueVector(0x2ad9, [2, 0xe8, 0x03], "command set speed, 10.00 km/h"),
      ValueVector(0x2ad9, [3, 0xf6, 0xff], "command set inclination, inclination -1.0 %"),
      ValueVector(0x2ad9, [5, 200, 0], "command set power, 200 W"),
      ValueVector(0x2ad9, [8, 2], "command stop or pause, action pause"),
      ValueVector(0x2ad9, [14, 60, 0, 30, 0], "command set durations in two zones, 60, 30 s"),
      // Wind -1 m/s, grade 4 %, rolling resistance 0.0040, wind resistance 0.51 kg/m.
      ValueVector(
        0x2ad9,
        [17, 0x18, 0xfc, 0x90, 0x01, 40, 51],
        "command simulate, -1.000 m/s, grade 4.00 %, rolling-resistance 0.0040, 0.51 kg/m"
      ),
      ValueVector(
        0x2ad9,
        [0x80, 5, 1],
        "command response, request set power, result success"
      ),
      ValueVector(
        0x2ad9,
        [0x80, 19, 1, 0x20, 3, 0x40, 6],
        "command response, request control spin down, result success, parameter 20034006"
      ),
      ValueVector(0x2ad9, [0x30, 1], "command reserved (48), further 01"),
    ]
  )
  func commands(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2aa7, [13, 3, 0x73, 0], "size, byte 0: expected 13 bytes, found 4"),
      MalformedVector(0x2aa7, [4, 0, 0x73, 0, 5, 0], "offset, byte 4: expected 2 bytes, found 0"),
      MalformedVector(0x2aa8, [0, 0x10, 0, 0x11], "crc, byte 4: expected 2 bytes, found 0"),
      MalformedVector(
        0x2aa7, [0x0d, 0x43, 0x73, 0, 0x2c, 1, 4, 0x24, 0, 0x1a, 0, 0xe3, 0x34],
        "crc, byte 11: expected e234, found e334", isOutOfRange: true
      ),
      MalformedVector(0x2ad2, [0x44, 2, 1], "speed, byte 2: expected 2 bytes, found 1"),
      MalformedVector(0x2ad9, [8, 3], "action, byte 1: 3 is reserved", isOutOfRange: true),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
