// Byte patterns: what they match, and what they capture.

import Bluetooth
import Documents
import Testing

@testable import SimulatedDevices

@Suite("Byte patterns")
struct PatternTests {
  func match(_ pattern: String, _ value: [UInt8]) throws -> Variables? {
    try BytePattern(written: pattern).match(value)
  }

  @Test(
    "bytes, digits and bits match equal data, and nothing longer or shorter",
    arguments: [
      ("01 ff", [0x01, 0xff], true), ("01 ff", [0x01], false), ("01 ff", [1, 0xff, 0], false),
      ("0? ?f", [0x0a, 0xaf], true), ("0? ?f", [0x1a, 0xaf], false), ("??", [0x77], true),
      ("1xxx0000", [0xf0], true), ("1xxx0000", [0xf1], false), ("1xxx0000", [0x70], false),
      ("01 *", [1], true), ("01 *", [1, 2, 3], true), ("01 *", [2, 2], false),
      ("'on'", [0x6f, 0x6e], true), ("'on '  0?", [0x6f, 0x6e, 0x20, 5], true), ("", [], true),
      ("", [1], false), ("*", [], true),
    ] as [(String, [UInt8], Bool)]
  )
  func matches(pattern: String, value: [UInt8], isMatch: Bool) throws {
    #expect((try match(pattern, value) != nil) == isMatch)
  }

  @Test("names capture numbers or the remaining bytes")
  func names() throws {
    let value: [UInt8] = [0x08, 0x34, 0x12, 0xfe, 3, 4]
    let found = try #require(try match("08 <size:u16> <delta:i8> <rest:*>", value))
    #expect(found["size"] == .number(0x1234))
    #expect(found["delta"] == .number(-2))
    #expect(found["rest"] == .octets([3, 4]))
    #expect(try match("<op> <rest:*>", [7])?["op"] == .number(7))
    #expect(try match("<op> <rest:*>", [7])?["rest"] == .octets([]))
    #expect(try match("<size:u16be>", [1, 2])?["size"] == .number(0x0102))
    #expect(try match("<size:u16>", [1]) == nil)
  }

  @Test(
    "the error for an invalid pattern names its word",
    arguments: [
      ("01 0g", "0g"), ("1", "1"), ("123", "123"), ("0x01", "0x01"), ("+1", "+1"),
      ("1xxx000y", "1xxx000y"), ("<:u8>", "<:u8>"), ("<a:f32>", "<a:f32>"), ("<a:3>", "<a:3>"),
      ("<written>", "<written>"), ("<a> <a>", "<a>"), ("* 01", "01"),
      ("'on", "'on"), ("<a-b>", "<a-b>"),
    ]
  )
  func wrong(text: String, word: String) {
    #expect {
      _ = try BytePattern(written: text)
    } throws: { error in
      (error as? Problem)?.message.hasPrefix("'\(word)': ") == true
    }
  }
}
