// Lists of arguments, encoded and decoded.

import Testing

@testable import DBus

@Suite("Arguments")
struct ArgumentsTests {
  private let one: Arguments<String> = .list(("name", .string))
  private let three: Arguments<(String, UInt16, Bool)> = .list(
    ("name", .string), ("mtu", .uint16), ("isOn", .boolean)
  )

  @Test("arguments are described, encoded and decoded in order")
  func order() throws {
    #expect(three.described.map(\.name) == ["name", "mtu", "isOn"])
    let body = three.encode(("x", 23, true))
    #expect(body == [.string("x"), .uint16(23), .boolean(true)])
    let values = try #require(three.decode(body))
    #expect(values == ("x", 23, true))
  }

  @Test("one argument is the value itself")
  func single() {
    #expect(one.encode("x") == [.string("x")])
    #expect(one.decode([.string("x")]) == "x")
  }

  @Test("a missing argument, one too many and one of another type are not decoded")
  func wrong() {
    #expect(one.decode([]) == nil)
    #expect(one.decode([.string("x"), .string("y")]) == nil)
    #expect(three.decode([.string("x"), .string("y"), .boolean(true)]) == nil)
    #expect(Arguments.none.decode([.string("x")]) == nil)
  }
}
