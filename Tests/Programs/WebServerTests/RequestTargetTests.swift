// Paths, queries and forms: decoded strictly.

import Testing

@testable import WebServer

@Suite("Request targets")
struct RequestTargetTests {
  @Test(
    "a path is decoded segment by segment",
    arguments: [
      ("/", []), ("/a", ["a"]), ("/a/b/", ["a", "b", ""]), ("//", ["", ""]),
      ("/a%2Fb/c%20d", ["a/b", "c d"]), ("/%E2%9C%93", ["✓"]), ("/a+b", ["a+b"]),
      ("http://localhost/a", ["a"]), ("HTTP://localhost", []),
    ] as [(String, [String])]
  )
  func path(text: String, segments: [String]) {
    #expect(RequestTarget(text)?.segments == segments)
  }

  @Test("an absolute target has a host")
  func absolute() {
    #expect(RequestTarget("http://Localhost:1/a?b")?.host == HostName(name: "localhost", port: 1))
    #expect(RequestTarget("/a")?.host == nil)
  }

  @Test("a query is decoded field by field, in order")
  func query() {
    let target = RequestTarget("/a?x=1&x=2&name=a+b%26c&empty&=v&&last=a=b")
    #expect(
      target?.query == [
        .init("x", "1"), .init("x", "2"), .init("name", "a b&c"), .init("empty", ""),
        .init("", "v"), .init("last", "a=b"),
      ]
    )
  }

  @Test(
    "an ambiguous target is rejected",
    arguments: [
      "", "*", "a", "https://localhost/", "http:///a", "localhost:80", "/a b", "/a#b", "/%", "/%2",
      "/%zz", "/%00", "/a%0Ab", "/%7f", "/%ff", "/%c0%af", "/..", "/a/../b", "/%2e%2e/", "/.", "/ü",
      "/a?b=%", "/a?b=%0d", "/a?b=%ff",
    ]
  )
  func refused(text: String) {
    #expect(RequestTarget(text) == nil)
  }

  @Test("a query of too many fields is refused")
  func manyFields() {
    #expect(RequestTarget("/?" + String(repeating: "a&", count: 256))?.query.count == 256)
    #expect(RequestTarget("/?" + String(repeating: "a&", count: 257)) == nil)
  }
}
