// Speed, cadence and power of cyclists and runners.

import Bluetooth
import Testing

@Suite("Values of the cycling and running services")
struct SpeedAndCadenceValueTests {
  @Test(
    "cycling speed and cadence values are decoded and printed",
    arguments: [
      ValueVector(0x2a5b, [0], ""),
      // Bit 0: 0x000186a0 = 100000 revolutions, 0x0800 = 2048/1024 s.
      ValueVector(
        0x2a5b,
        [0x01, 0xa0, 0x86, 0x01, 0x00, 0x00, 0x08],
        "wheel-revolutions 100000, 2.000 s"
      ),
      // Bit 1: 0x0102 = 258 revolutions, 0x0600 = 1536/1024 s.
      ValueVector(0x2a5b, [0x02, 0x02, 0x01, 0x00, 0x06], "crank-revolutions 258, 1.500 s"),
      ValueVector(
        0x2a5b,
        [0x03, 1, 0, 0, 0, 0, 4, 2, 0, 0, 2],
        "wheel-revolutions 1, wheel-time 1.000 s, crank-revolutions 2, crank-time 0.500 s"
      ),
      ValueVector(
        0x2a5c,
        [0x05, 0],
        "wheel-revolutions yes, crank-revolutions no, multiple-locations yes"
      ),
      ValueVector(0x2a5d, [12], "rear wheel"),
      // Op code 1 with a number; 3 with a location; 4 alone.
      ValueVector(
        0x2a55,
        [1, 0xa0, 0x86, 0x01, 0x00],
        "command set cumulative value, revolutions 100000"
      ),
      ValueVector(0x2a55, [2], "command start calibration"),
      ValueVector(0x2a55, [3, 4], "command update location, location front wheel"),
      ValueVector(0x2a55, [4], "command request locations"),
      // Op code 16: to which request, result, and for request 4 the locations.
      ValueVector(
        0x2a55,
        [16, 3, 3],
        "command response, request update location, result invalid parameter"
      ),
      ValueVector(
        0x2a55,
        [16, 4, 1, 4, 12],
        "command response, request request locations, result success, "
          + "locations front wheel, rear wheel"
      ),
      ValueVector(0x2a55, [9, 0xab], "command reserved (9), parameter ab"),
    ]
  )
  func cycling(vector: ValueVector) throws { try vector.check() }

  @Test(
    "running speed and cadence values are decoded and printed",
    arguments: [
      // Flags 0: 0x0300 = 768/256 m/s, 170 steps a minute.
      ValueVector(0x2a53, [0, 0, 3, 170], "3.000 m/s, 170 1/min, running no"),
      // Bits 0 to 2: stride 0x0069 = 105 cm, distance 0x00003039 = 12345 × 0.1 m.
      ValueVector(
        0x2a53,
        [7, 0, 3, 170, 0x69, 0, 0x39, 0x30, 0, 0],
        "3.000 m/s, 170 1/min, stride 1.05 m, distance 1234.5 m, running yes"
      ),
      ValueVector(
        0x2a54,
        [0x12, 0],
        "stride no, distance yes, running no, calibration no, multiple-locations yes"
      ),
    ]
  )
  func running(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(
        0x2a5b,
        [1, 0, 0, 0],
        "wheel-revolutions, byte 1: expected 4 bytes, found 3"
      ),
      MalformedVector(0x2a5b, [2, 1, 0, 0], "crank-time, byte 3: expected 2 bytes, found 1"),
      MalformedVector(0x2a55, [1, 0], "revolutions, byte 1: expected 4 bytes, found 1"),
      MalformedVector(0x2a53, [0, 0, 3], "cadence, byte 3: expected 1 byte, found 0"),
      MalformedVector(0x2a53, [2, 0, 3, 1, 0], "distance, byte 4: expected 4 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }
}
