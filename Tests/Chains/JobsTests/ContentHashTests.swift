// The hash by which a page allows its script, against published examples.

import Testing

@testable import Jobs

@Suite("Hash of a page's script")
struct ContentHashTests {
  @Test(
    "Base64 matches the examples of RFC 4648, section 10",
    arguments: zip(
      ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
      ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    )
  )
  func base64(text: String, expected: String) {
    #expect(ContentHash.base64(Array(text.utf8)) == expected)
  }
}
