// Images of MCUboot, against files that its imgtool 2 made.

import Testing

@testable import Bluetooth

@Suite("MCUboot images")
struct MCUbootImageTests {
  /// `imgtool create --version 1.2.3+4` of the text "blerun".
  static let plainDigits =
    "3db8f39600000000200000000600000000000000010203000400000000000000626c6572756e"
    + "0769280010002000e48fd9461000d2b01ed30f68676b4f98b0e7b7afe4074c31ebe32e2cd363594a"
  /// With `--security-counter 7`, which the hash covers too.
  static let protectedDigits =
    "3db8f3960000000020000c000600000000000000010203000000000000000000626c6572756e"
    + "08690c0050000400070000000769280010002000385b35e78e50ed136efcc538be0512c6"
    + "0bd3cf2529bb35c000c3983ecaf25a3b"

  private func octets(_ digits: String) throws -> [UInt8] {
    try #require(ValueFormat("hex")).encode(digits)
  }

  private func message(_ octets: [UInt8]) -> String? {
    do throws(MCUbootImageError) {
      _ = try MCUbootImage(octets)
      return nil
    } catch {
      return error.description
    }
  }

  @Test("an image of imgtool is read, with its version and hash")
  func plain() throws {
    let image = try MCUbootImage(octets(Self.plainDigits))
    #expect(image.version == FirmwareVersion(1, 2, 3, build: 4))
    #expect("\(image.version)" == "1.2.3.4")
    #expect(image.hash.prefix(4) == [0xe4, 0x8f, 0xd9, 0x46])
    #expect(
      try MCUbootImage.octets(image.version, body: Array("blerun".utf8)) == octets(Self.plainDigits)
    )
  }

  @Test("the hash covers the protected part of the trailer")
  func protected() throws {
    var octets = try octets(Self.protectedDigits)
    #expect(try MCUbootImage(octets).version == FirmwareVersion(1, 2, 3))
    octets[46] ^= 1
    #expect(message(octets)?.hasPrefix("the MCUboot image is damaged: its SHA-256 is ") == true)
  }

  @Test("bytes after the trailer are ignored")
  func padded() throws {
    #expect(try message(octets(Self.plainDigits) + Array(repeating: 0xff, count: 100)) == nil)
  }

  @Test("each changed bit of header and body is noticed", arguments: 0..<38)
  func damaged(position: Int) throws {
    for bit in 0..<8 {
      var octets = try octets(Self.plainDigits)
      octets[position] ^= 1 << bit
      // An encrypted image has the hash of the plain one.
      let isEncrypted = position == 16 && (bit == 2 || bit == 3)
      #expect((message(octets) == nil) == isEncrypted)
    }
  }

  @Test("an image that ends early is refused at every length")
  func truncated() throws {
    let whole = try octets(Self.plainDigits)
    for count in 0..<whole.count { #expect(message(Array(whole[..<count])) != nil) }
  }

  @Test("the message says what is wrong")
  func messages() throws {
    let whole = try octets(Self.plainDigits)
    #expect(
      message([UInt8](repeating: 0, count: 40))
        == "not an MCUboot image: it begins with 0x00000000 in place of 0x96f3b83d"
    )
    #expect(
      message(Array(whole[..<60]))
        == "the MCUboot image is incomplete: it has 60 bytes, and its part at byte 38 ends later"
    )
    var other = whole
    other[38] = 8
    #expect(message(other) == "the MCUboot image has no trailer at byte 38")
    other = whole
    other[42] = 0x11
    #expect(message(other) == "the MCUboot image has no SHA-256 in its trailer")
  }

  @Test(
    "versions are read and compared",
    arguments: [("1.2.3", "1.2.3"), ("0.0.0", "0.0.0"), ("255.255.65535.9", "255.255.65535.9")]
  )
  func versions(text: String, shown: String) throws {
    #expect(try "\(#require(FirmwareVersion(text)))" == shown)
  }

  @Test(
    "other text is no version",
    arguments: ["", "1", "1.2", "1.2.3.4.5", "256.0.0", "1.-0.0", "1..2", "1.2.+3"]
  )
  func noVersions(text: String) { #expect(FirmwareVersion(text) == nil) }

  @Test("a newer version is greater, whichever part is newer")
  func order() {
    let ascending = ["1.2.3", "1.2.3.1", "1.2.4", "1.10.0", "2.0.0"].compactMap {
      FirmwareVersion($0)
    }
    #expect(ascending.sorted() == ascending)
    #expect(ascending.count == 5)
  }
}
