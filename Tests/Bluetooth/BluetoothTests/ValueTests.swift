// Values by format, and the fields of a decoded one. The standard ones are in the folder Values.

import Bluetooth
import Testing

@Suite("Values")
struct ValueTests {
  @Test(
    "a format encodes a text and decodes it again",
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
    "a value outside the range of its format is refused",
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

  @Test("an unknown format is refused")
  func unknown() {
    #expect(ValueFormat("u8be") == nil)
    #expect(ValueFormat("u12") == nil)
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
