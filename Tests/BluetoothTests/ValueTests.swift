// Values by format, and the standard ones with vectors worked out from their specifications.

import Bluetooth
import Testing

@Suite("Values")
struct ValueTests {
  @Test(
    "a format encodes a text, and decodes it again",
    arguments: [
      ("u8", "255", [0xff]), ("u16", "300", [0x2c, 0x01]), ("u16be", "300", [0x01, 0x2c]),
      ("u24", "0x010203", [0x03, 0x02, 0x01]), ("i8", "-1", [0xff]), ("i16", "-2", [0xfe, 0xff]),
      ("i24be", "-2", [0xff, 0xff, 0xfe]), ("u32", "1", [1, 0, 0, 0]),
      ("i64", "-1", [UInt8](repeating: 0xff, count: 8)), ("f32", "1.5", [0, 0, 0xc0, 0x3f]),
      ("f64be", "1", [0x3f, 0xf0, 0, 0, 0, 0, 0, 0]), ("utf8", "né", [0x6e, 0xc3, 0xa9]),
      ("hex", "01 ff", [1, 0xff]), ("hex", "", []),
      ("f32", "-inf", [0, 0, 0x80, 0xff]), ("f32", "-0.0e5", [0, 0, 0, 0x80]),
    ] as [(String, String, [UInt8])]
  )
  func formats(name: String, text: String, octets: [UInt8]) throws {
    let format = try #require(ValueFormat(name))
    #expect(try format.encode(text) == octets)
    let decoded = try format.decode(octets)
    if let number = decoded.number, let expected = Double(text) { #expect(number == expected) }
  }

  @Test(
    "a value out of range of its format is refused",
    arguments: [
      ("u8", "256"), ("u8", "-1"), ("u8", "x"), ("i8", "128"), ("i8", "-129"), ("i16", "40000"),
      ("hex", "0"), ("hex", "0g"), ("f32", "warm"), ("u64", "18446744073709551616"),
      ("f32", "1e39"), ("f32", "-1e-50"), ("f64be", "1e400"), ("f64", "1e-400"),
    ]
  )
  func refused(name: String, text: String) throws {
    let format = try #require(ValueFormat(name))
    #expect(throws: ValueError.self) { try format.encode(text) }
  }

  @Test("the wrong number of bytes is refused", arguments: ["u16", "i32", "f32", "f64be"])
  func length(name: String) throws {
    let format = try #require(ValueFormat(name))
    #expect(throws: ValueError.self) { try format.decode([1]) }
  }

  @Test("there is no other format")
  func unknown() {
    #expect(ValueFormat("u8be") == nil)
    #expect(ValueFormat("u12") == nil)
  }

  @Test(
    "IEEE 11073 numbers, special ones included",
    arguments: [
      (0xff00_016e, 36.6), (0x0000_0000, 0), (0xfe00_0e4c, 36.6), (0x0100_0003, 30),
      (0xffff_ffff, -0.1), (0x007f_fffe, .infinity), (0x0080_0002, -.infinity),
    ] as [(UInt32, Double)]
  )
  func floats(bits: UInt32, value: Double) {
    #expect(MedicalFloat.float(bits) == value)
  }

  @Test(
    "IEEE 11073 short numbers",
    arguments: [(0xf16e, 36.6), (0x1003, 30), (0xffff, -0.1), (0x07fe, .infinity)]
      as [(UInt16, Double)]
  )
  func shortFloats(bits: UInt16, value: Double) {
    #expect(MedicalFloat.sfloat(bits) == value)
  }

  @Test("not a number, and what is reserved, are not a number")
  func notANumber() {
    for bits in [0x007f_ffff, 0x0080_0000, 0x0080_0001] as [UInt32] {
      #expect(MedicalFloat.float(bits).isNaN)
    }
    for bits in [0x07ff, 0x0800, 0x0801] as [UInt16] { #expect(MedicalFloat.sfloat(bits).isNaN) }
  }

  @Test(
    "standard values, as printed",
    arguments: [
      (0x2a19, [87], "87 %"), (0x2a38, [2], "wrist"),
      (0x2a1d, [6], "mouth"), (0x2a06, [1], "mild alert"), (0x2a21, [0x3c, 0], "60 s"),
      (0x2a29, Array("BlueZ Lab".utf8), "BlueZ Lab"),
      (0x2a1c, [0x00, 0x6e, 0x01, 0x00, 0xff], "36.6 °C"),
      (0x2a1c, [0x01, 0xda, 0x03, 0x00, 0xff], "37.0 °C, 98.6 °F"),
      (
        0x2a1c, [0x06, 0x6e, 0x01, 0x00, 0xff, 0xea, 0x07, 1, 31, 23, 59, 0, 2],
        "36.6 °C, timestamp 2026-01-31 23:59:00, type body"
      ),
      (0x2a37, [0x06, 61], "61 bpm, contact yes"), (0x2a37, [0x01, 0x2c, 0x01], "300 bpm"),
      (
        0x2a37, [0x18, 60, 0x0a, 0x00, 0x00, 0x04, 0x00, 0x02], "60 bpm, 10 kJ, 1.000, 0.500 s"
      ),
    ] as [(UInt16, [UInt8], String)]
  )
  func standard(short: UInt16, octets: [UInt8], text: String) throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: short)))
    #expect(try decode(octets).description == text)
  }

  @Test(
    "a malformed value is an error with field and offset",
    arguments: [
      (0x2a19, [], "percent, byte 0: expected 1 byte, found 0"),
      (0x2a1c, [0, 1, 2], "temperature, byte 1: expected 4 bytes, found 2"),
      (0x2a37, [0x01, 60], "bpm, byte 1: expected 2 bytes, found 1"),
      (0x2a37, [0x10, 60, 1], "rr-intervals, byte 2: expected 2 bytes, found 1"),
      (0x2a29, [0xff], "text, byte 0: invalid UTF-8"),
    ] as [(UInt16, [UInt8], String)]
  )
  func malformed(short: UInt16, octets: [UInt8], complaint: String) throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: short)))
    do {
      _ = try decode(octets)
      Issue.record("it was taken")
    } catch {
      #expect(error.description == complaint)
    }
  }

  @Test("fields are found by name")
  func fields() throws {
    let decode = try #require(StandardValues.decoder(for: BluetoothUUID(short: 0x2a37)))
    let value = try decode([0x06, 61])
    #expect(value["bpm"]?.number == 61)
    #expect(value["contact"] == .boolean(true))
    #expect(value["none"] == nil)
  }
}
