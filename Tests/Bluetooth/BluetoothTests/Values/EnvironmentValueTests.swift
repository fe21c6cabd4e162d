// Values of the Environmental Sensing service.

import Bluetooth
import Testing

@Suite("Values of the Environmental Sensing service")
struct EnvironmentValueTests {
  @Test(
    "environmental values are decoded and printed",
    arguments: [
      // 0x08fc = 2300 × 0.01. 0xfe0c = -500 × 0.01. 0x8000: not known.
      ValueVector(0x2a6e, [0xfc, 0x08], "23.00 °C"),
      ValueVector(0x2a6e, [0x0c, 0xfe], "-5.00 °C"),
      ValueVector(0x2a6e, [0x00, 0x80], "celsius unknown"),
      // 0x11d7 = 4567 × 0.01.
      ValueVector(0x2a6f, [0xd7, 0x11], "45.67 %"),
      ValueVector(0x2a6f, [0xff, 0xff], "percent unknown"),
      // 1013250 = 0x000f7602, × 0.1 Pa.
      ValueVector(0x2a6d, [0x02, 0x76, 0x0f, 0x00], "101325.0 Pa"),
      ValueVector(0x2a76, [7], "index 7"),
      ValueVector(0x2a7b, [0xf6], "-10 °C"), ValueVector(0x2a7a, [35], "35 °C"),
      ValueVector(0x2a79, [0x80], "-128 °C"),
      // 12345 = 0x003039, × 0.01 m. -1: 0xffffff.
      ValueVector(0x2a6c, [0x39, 0x30, 0x00], "123.45 m"),
      ValueVector(0x2a6c, [0xff, 0xff, 0xff], "-0.01 m"),
      // 10000 = 0x2710, × 0.1 W/m².
      ValueVector(0x2a77, [0x10, 0x27], "1000.0 W/m²"),
      ValueVector(0x2a78, [0x0c, 0x00], "12 mm"),
      // 0x010000 = 65536.
      ValueVector(0x2a75, [0x00, 0x00, 0x01], "65536 1/m³"),
      // 0x0235 = 565 × 0.01. 27000 = 0x6978.
      ValueVector(0x2a70, [0x35, 0x02], "5.65 m/s"), ValueVector(0x2a72, [0, 0], "0.00 m/s"),
      ValueVector(0x2a71, [0x78, 0x69], "270.00 °"), ValueVector(0x2a73, [1, 0], "0.01 °"),
      ValueVector(0x2a74, [15], "factor 1.5"),
      ValueVector(0x2a2c, [0x2c, 0x01], "3.00 °"),
      // Steps of 10^-7 T = 0.1 µT: 0x00fa = 250, 0xff38 = -200, 0x01c8 = 456.
      ValueVector(0x2aa0, [0xfa, 0x00, 0x38, 0xff], "x 25.0 µT, y -20.0 µT"),
      ValueVector(
        0x2aa1,
        [0xfa, 0x00, 0x38, 0xff, 0xc8, 0x01],
        "x 25.0 µT, y -20.0 µT, z 45.6 µT"
      ),
      ValueVector(0x2aa3, [0], "unknown"), ValueVector(0x2aa3, [9], "steady"),
    ]
  )
  func values(vector: ValueVector) throws { try vector.check() }

  @Test(
    "light and air values are decoded and printed",
    arguments: [
      // 12345 = 0x003039, × 0.01 lx.
      ValueVector(0x2afb, [0x39, 0x30, 0x00], "123.45 lx"),
      ValueVector(0x2afb, [0xff, 0xff, 0xff], "lux unknown"),
      // 0x0320 = 800.
      ValueVector(0x2b8c, [0x20, 0x03], "800 ppm"),
      ValueVector(0x2b8c, [0xfe, 0xff], "ppm 65534 or more"),
      ValueVector(0x2be7, [0xff, 0xff], "ppb unknown"),
      // SFLOAT 0x800c: 12 × 10^-8 kg/m³ is 120 µg/m³.
      ValueVector(0x2bd6, [0x0c, 0x80], "120 µg/m³, 0.00000012 kg/m³"),
      ValueVector(0x2bd3, [0x01, 0x80], "10 µg/m³, 0.00000001 kg/m³"),
      ValueVector(0x2bd5, [0x02, 0x80], "20 µg/m³, 0.00000002 kg/m³"),
      // SFLOAT 0xa005: 5 × 10^-6 kg/m³ is 5000 µg/m³.
      ValueVector(0x2bd7, [0x05, 0xa0], "5000 µg/m³, 0.000005 kg/m³"),
      ValueVector(
        0x2bd0,
        [0x00, 0x08],
        "micrograms-per-cubic-metre not at this resolution, "
          + "kilograms-per-cubic-metre not at this resolution"
      ),
    ]
  )
  func air(vector: ValueVector) throws { try vector.check() }

  @Test(
    "a malformed value throws an error with the field and the offset",
    arguments: [
      MalformedVector(0x2a6e, [1], "celsius, byte 0: expected 2 bytes, found 1"),
      MalformedVector(0x2a6d, [1, 2], "pascals, byte 0: expected 4 bytes, found 2"),
      MalformedVector(0x2a6c, [], "metres, byte 0: expected 3 bytes, found 0"),
      MalformedVector(0x2aa1, [1, 0, 2, 0, 3], "z, byte 4: expected 2 bytes, found 1"),
    ]
  )
  func malformed(vector: MalformedVector) throws { try vector.check() }

  @Test("a number between two steps is rounded, and its range is checked")
  func steps() throws {
    let encode = try #require(StandardValues.encoder(for: BluetoothUUID(short: 0x2a6e)))
    #expect(try encode(.real(23.004, decimals: 3)) == [0xfc, 0x08])
    #expect(try encode(.integer(23)) == [0xfc, 0x08])
    #expect(try encode(.text("unknown")) == [0x00, 0x80])
    let tooWarm = ValueError(
      field: "celsius", octet: 0, problem: "400.0 is not in -327.67 to 327.67"
    )
    #expect(throws: tooWarm) { try encode(.real(400, decimals: 1)) }
    let noNumber = ValueError(field: "celsius", octet: 0, problem: "not a number cannot be sent")
    #expect(throws: noNumber) { try encode(.real(.nan, decimals: 1)) }
  }
}
