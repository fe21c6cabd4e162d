// Validation of names, paths and signatures.

import Testing

@testable import DBus

@Suite("Names")
struct ValuesNameTests {
  @Test(
    "names, paths and signatures are validated as libdbus validates them",
    arguments: [
      (.busName, [":1.42", "org.bluez", "org.blu-ez._1"], ["org", "org.1bluez", "org.blüz", ""]),
      (.interface, ["org.bluez.Device1"], ["a", "a.b-c", ":1.2", "a.b\0"]),
      (.errorName, ["org.bluez.Error.Failed"], ["Failed", "a..b"]),
      (.member, ["GetAll", "_a1"], ["1a", "a.b", "", String(repeating: "a", count: 256)]),
      (.objectPath, ["/", "/org/bluez/hci0", "/0"], ["", "a", "/a/", "//", "/a-b", "/ä", "/a\0"]),
      (.signature, ["", "a{oa{sa{sv}}}", "(ii)s"], ["a", "()", "{sv}", "a{vs}", "z", "r", "s\0"]),
    ] as [(DBusNameError.Kind, [String], [String])]
  )
  func check(kind: DBusNameError.Kind, valid: [String], invalid: [String]) {
    for text in valid { #expect(throws: Never.self) { try DBusName.check(text, as: kind) } }
    for text in invalid {
      #expect(throws: DBusNameError(kind: kind, text: text)) { try DBusName.check(text, as: kind) }
    }
  }

  @Test("a signature is a single type, a basic type or a sequence of types")
  func types() {
    let signatures: [Signature] = ["s", "a{sv}", "v", "ss", ""]
    #expect(signatures.map(\.isSingle) == [true, true, true, false, false])
    #expect(signatures.map(\.isBasic) == [true, false, false, false, false])
  }

  @Test("a path has a parent and a last element")
  func place() throws {
    let hci: ObjectPath = "/org/bluez/hci0"
    #expect(hci.parent == "/org/bluez")
    #expect(hci.lastElement == "hci0")
    #expect(ObjectPath("/org").parent == .root)
    #expect(ObjectPath.root.parent == nil)
    #expect(try ObjectPath.root.appending("org").appending("bluez") == "/org/bluez")
    #expect(throws: DBusNameError.self) { try hci.appending("a/b") }
    #expect(throws: DBusNameError.self) { try hci.appending("") }
  }

  @Test(
    "a path is below its ancestors only",
    arguments: [
      ("/a/b", "/a", true), ("/a/b/c", "/a", true), ("/a", "/", true), ("/a", "/a", false),
      ("/ab", "/a", false), ("/", "/", false), ("/a", "/a/b", false),
    ] as [(ObjectPath, ObjectPath, Bool)]
  )
  func below(path: ObjectPath, other: ObjectPath, isBelow: Bool) {
    #expect(path.isBelow(other) == isBelow)
  }
}
