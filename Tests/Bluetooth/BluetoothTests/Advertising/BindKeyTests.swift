// The keys of devices that encrypt what they advertise, without a cipher.

import Bluetooth
import Testing

@Suite("Bind keys")
struct BindKeyTests {
  private static let hex = "231d39c1d7cc1ab1aee224cd096db932"

  @Test("a key has 32 hexadecimal digits; the error for an invalid key does not show it")
  func digits() throws {
    for (text, wrong) in [
      ("231d", InvalidBindKey.length(digits: 4)), ("", .length(digits: 0)),
      (Self.hex + "0", .length(digits: 33)), ("0x" + Self.hex, .notHexadecimal),
      ("b853075158487aa39a5b5ea9", .legacy),
    ] {
      let error = #expect(throws: InvalidBindKey.self) { try BindKey(text, of: .name("a")) }
      #expect(error == wrong)
      #expect(text.isEmpty || error.map { !"\($0)".contains(text) } == true)
    }
    _ = try BindKey(Self.hex.uppercased(), of: .name("a"))
  }

  @Test("a key and a list of keys are printed without revealing any key")
  func secret() throws {
    let key = try BindKey(Self.hex, of: .name("Attic"))
    let keys = BindKeys([key]) { _, _ in nil }
    var texts = ["\(key)", "\(keys)", String(reflecting: key), String(reflecting: keys), "", ""]
    dump(key, to: &texts[4])
    dump(keys, to: &texts[5])
    for text in texts { #expect(!text.contains("231d"), "\(text)") }
    #expect(texts[5].contains("Attic"))
  }
}
