// CBOR, against the examples of RFC 8949, appendix A.

import Testing

@testable import Bluetooth

@Suite("CBOR")
struct CBORTests {
  private static func octets(_ digits: String) throws -> [UInt8] {
    try digits.isEmpty ? [] : #require(ValueFormat("hex")).encode(digits)
  }

  private static let known: [(String, CBORValue)] = [
    ("00", .integer(0)), ("01", .integer(1)), ("0a", .integer(10)), ("17", .integer(23)),
    ("1818", .integer(24)), ("1819", .integer(25)), ("1864", .integer(100)),
    ("1903e8", .integer(1000)), ("1a000f4240", .integer(1_000_000)),
    ("1b000000e8d4a51000", .integer(1_000_000_000_000)), ("20", .integer(-1)),
    ("29", .integer(-10)), ("3863", .integer(-100)), ("3903e7", .integer(-1000)),
    ("3b7fffffffffffffff", .integer(.min)), ("f4", .truth(false)), ("f5", .truth(true)),
    ("f6", .null), ("40", .octets([])), ("4401020304", .octets([1, 2, 3, 4])), ("60", .text("")),
    ("6161", .text("a")), ("6449455446", .text("IETF")), ("62c3bc", .text("ü")), ("80", .list([])),
    ("83010203", .list([.integer(1), .integer(2), .integer(3)])), ("a0", .map([])),
    (
      "a26161016162820203",
      .map([.init("a", .integer(1)), .init("b", .list([.integer(2), .integer(3)]))])
    ),
  ]

  @Test("the examples of the RFC decode and encode", arguments: known)
  func examples(digits: String, value: CBORValue) throws {
    let octets = try Self.octets(digits)
    #expect(try CBORValue(decoding: octets) == value)
    #expect(value.encoded == octets)
  }

  @Test("lists and maps without a length, as Zephyr sends them, end with a break")
  func breaks() throws {
    #expect(try CBORValue(decoding: Self.octets("9fff")) == .list([]))
    let map = CBORValue.map([
      .init("a", .integer(1)), .init("b", .list([.integer(2), .integer(3)])),
    ])
    #expect(try CBORValue(decoding: Self.octets("bf61610161629f0203ffff")) == map)
  }

  @Test("0xf7, undefined, is null")
  func undefined() throws { #expect(try CBORValue(decoding: [0xf7]) == .null) }

  @Test(
    "what is damaged, too large or outside the subset is refused with its position",
    arguments: [
      ("", "invalid CBOR at byte 0: the data ends early"),
      ("18", "invalid CBOR at byte 0: the data ends early"),
      ("1b80000000000000", "invalid CBOR at byte 0: the data ends early"),
      ("1b8000000000000000", "invalid CBOR at byte 0: the number is too large"),
      ("3b8000000000000000", "invalid CBOR at byte 0: the number is too small"),
      ("0000", "invalid CBOR at byte 1: 1 bytes follow the end"),
      ("1c", "invalid CBOR at byte 0: the length 28 is reserved"),
      ("1f", "invalid CBOR at byte 0: the length is missing"),
      ("4203", "invalid CBOR at byte 0: the data ends early"),
      ("5bffffffffffffffff00", "invalid CBOR at byte 0: the data ends early"),
      ("5f4101ff", "invalid CBOR at byte 0: strings in pieces are not supported"),
      ("61ff", "invalid CBOR at byte 0: the text is not UTF-8"),
      ("9bffffffffffffffff00", "invalid CBOR at byte 10: the data ends early"),
      ("8200", "invalid CBOR at byte 2: the data ends early"),
      ("9f00", "invalid CBOR at byte 2: the data ends early"),
      ("ff", "invalid CBOR at byte 0: the simple value is not supported"),
      ("a10001", "invalid CBOR at byte 1: the key of a map is not text"),
      ("bf6161ff", "invalid CBOR at byte 3: the simple value is not supported"),
      ("a2616101616102", "invalid CBOR at byte 4: the map has the key 'a' twice"),
      ("c000", "invalid CBOR at byte 0: tags are not supported"),
      ("f93c00", "invalid CBOR at byte 0: floating-point numbers are not supported"),
      ("f0", "invalid CBOR at byte 0: the simple value is not supported"),
      (
        String(repeating: "81", count: 9) + "00",
        "invalid CBOR at byte 8: lists and maps are nested more than 8 deep"
      ),
      (
        "9f" + String(repeating: "00", count: 4096) + "ff",
        "invalid CBOR at byte 4096: there are more than 4096 items"
      ),
    ]
  )
  func refused(digits: String, message: String) throws {
    let octets = try Self.octets(digits)
    let error = #expect(throws: CBORError.self) { try CBORValue(decoding: octets) }
    #expect(error?.description == message)
  }

  @Test("a list at the limits of depth and of items is read")
  func limits() throws {
    let deep = try Self.octets(String(repeating: "81", count: 8) + "00")
    #expect(try CBORValue(decoding: deep).encoded == deep)
    let long = try Self.octets("9f" + String(repeating: "00", count: 4095) + "ff")
    #expect(try CBORValue(decoding: long).list?.count == 4095)
  }
}
