// D-Bus containers: accepted elements, and reading values.

import Testing

@testable import DBus

@Suite("Containers")
struct ValuesContainerTests {
  @Test("an array accepts only elements of its type")
  func array() throws {
    #expect(try DBusArray("s", [.string("a")]).signature == "as")
    #expect(throws: DBusValueError.typeMismatch(expected: "s", found: "y", index: 1)) {
      try DBusArray("s", [.string("a"), .byte(1)])
    }
    #expect(throws: DBusValueError.octetsAreBytes) { try DBusArray("y", []) }
    #expect(throws: DBusValueError.notOneType("ss")) { try DBusArray("ss", []) }
    let deepest = Signature(stringLiteral: String(repeating: "a", count: 32) + "s")
    #expect(throws: DBusValueError.self) { try DBusArray(deepest, []) }
    #expect(try DBusValue.array(of: "y", [.byte(1), .byte(2)]) == .bytes([1, 2]))
  }

  @Test("a dictionary keeps its order, and the last of two duplicate keys wins")
  func dictionary() throws {
    let dictionary = try DBusDictionary(
      key: "q", value: "s",
      [(.uint16(2), .string("b")), (.uint16(1), .string("a")), (.uint16(2), .string("c"))]
    )
    #expect(dictionary.signature == "a{qs}")
    #expect(dictionary.entries.map(\.key) == [.uint16(2), .uint16(1), .uint16(2)])
    #expect(dictionary[.uint16(2)] == .string("c"))
    #expect(dictionary[.uint16(3)] == nil)
    #expect(throws: DBusValueError.keyNotBasic("v")) {
      try DBusDictionary(key: "v", value: "s", [])
    }
    #expect(throws: DBusValueError.typeMismatch(expected: "s", found: "u", index: 0)) {
      try DBusDictionary(key: "q", value: "s", [(.uint16(1), .uint32(1))])
    }
  }

  @Test("a structure has typed fields")
  func structure() throws {
    #expect(try DBusStructure([.byte(1), .string("a")]).signature == "(ys)")
    #expect(throws: DBusValueError.emptyStructure) { try DBusStructure([]) }
  }

  @Test("a property map keeps its order and each name once")
  func propertyMap() {
    var map: PropertyMap = ["b": .byte(1), "a": .string("x"), "b": .byte(2)]
    #expect(map.names == ["b", "a"])
    #expect(map["b"] == .byte(2))
    map["c"] = .boolean(true)
    map["b"] = nil
    #expect(map == ["a": .string("x"), "c": .boolean(true)])
    let value = DBusValue.properties(map)
    #expect(value.signature == "a{sv}")
    #expect(value.asPropertyMap == map)
  }

  @Test("reading unwraps variants and accepts no other type")
  func reading() throws {
    let wrapped = DBusValue.variant(of: .variant(of: .uint16(7)))
    #expect(wrapped.asUInt16 == 7)
    #expect(wrapped.asInt16 == nil)
    #expect(wrapped.unwrapped == .uint16(7))
    #expect(DBusValue.strings(["a", "b"]).asStrings == ["a", "b"])
    #expect(DBusValue.strings([]).asObjectPaths == nil)
    #expect(DBusValue.objectPaths(["/a"]).asObjectPaths == ["/a"])
    #expect(DBusValue.bytes([1]).asBytes == [1])
    #expect(try DBusValue.dictionary(key: "s", value: "s", []).asPropertyMap == nil)
  }

  @Test("values that cannot be sent are detected before sending")
  func sendable() {
    var deep = DBusValue.byte(0)
    for _ in 0..<64 { deep = .variant(of: deep) }
    #expect(throws: Never.self) { try deep.checkSendable() }
    let deeper = DBusValue.variant(of: deep)
    #expect(throws: DBusValueError.tooDeep) { try deeper.checkSendable() }
    #expect(throws: DBusValueError.containsNUL("a\0b")) {
      try DBusValue.strings(["a\0b"]).checkSendable()
    }
  }
}
