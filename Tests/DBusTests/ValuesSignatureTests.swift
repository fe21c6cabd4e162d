// Which signatures are taken, and how they come apart.

import Testing

@testable import DBus

@Suite("Signature")
struct ValuesSignatureTests {
  static func nested(_ count: Int, _ open: String, _ inside: String, _ close: String) -> String {
    String(repeating: open, count: count) + inside + String(repeating: close, count: count)
  }

  @Test(
    "well formed",
    arguments: [
      "", "y", "ay", "a{sv}", "a{oa{sa{sv}}}", "(i)", "(ii)s", "aaas", "a(yv)", "ybnqiuxtdsoghv",
      "a{s(ii)}", nested(32, "a", "s", ""), nested(32, "(", "s", ")"),
      String(repeating: "y", count: 255),
    ]
  )
  func wellFormed(text: String) throws { #expect(try Signature(text).text == text) }

  @Test(
    "not well formed",
    arguments: [
      ("a", 1), ("()", 1), ("(i", 2), ("i)", 1), ("{sv}", 0), ("a{s}", 3), ("a{svv}", 4),
      ("a{vs}", 2), ("a{(i)s}", 2), ("z", 0), ("a{sv", 4), ("a{", 2), ("r", 0), ("e", 0),
      ("(a)", 2),
      (nested(33, "a", "s", ""), 32), (nested(33, "(", "s", ")"), 32),
      (String(repeating: "y", count: 256), 255),
    ]
  )
  func malformed(text: String, offset: Int) {
    let error = #expect(throws: SignatureError.self) { try Signature(text) }
    #expect(error?.offset == offset)
  }

  @Test("splits into complete types")
  func apart() {
    let signature: Signature = "sa{sv}a(ii)(sv)vaay"
    #expect(signature.completeTypes == ["s", "a{sv}", "a(ii)", "(sv)", "v", "aay"])
    #expect(signature.isSingle == false)
  }
}
