// Which names and paths are taken.

import Testing

@testable import DBus

@Suite("Names")
struct ValuesNameTests {
  static let long = String(repeating: "a", count: 250)

  @Test(
    "bus names",
    arguments: [
      (":1.42", true), ("org.bluez", true), ("org.blu-ez._1", true), ("a.b", true),
      (":1", false), ("org", false), ("org.", false), (".org", false), ("org..bluez", false),
      ("org.1bluez", false), ("", false), (":", false), ("org.blüz", false), ("org.b z", false),
      ("abcd.\(long)", true), ("abcde.\(long)", false),
    ]
  )
  func busName(name: String, isValid: Bool) {
    #expect(((try? DBusName.checkBusName(name)) != nil) == isValid)
  }

  @Test(
    "interface and error names",
    arguments: [
      ("org.bluez.Device1", true), ("a.b", true), ("a_.b2", true), ("a", false), ("a.b-c", false),
      ("a.2b", false), ("", false), (":1.2", false), ("abcde.\(long)", false),
    ]
  )
  func interface(name: String, isValid: Bool) {
    #expect(((try? DBusName.checkInterface(name)) != nil) == isValid)
    #expect(((try? DBusName.checkErrorName(name)) != nil) == isValid)
  }

  @Test(
    "member names",
    arguments: [
      ("GetAll", true), ("_a1", true), ("1a", false), ("a.b", false), ("a-b", false), ("", false),
      (long + "abcde", true), (long + "abcdef", false),
    ]
  )
  func member(name: String, isValid: Bool) {
    #expect(((try? DBusName.checkMember(name)) != nil) == isValid)
  }

  @Test(
    "object paths",
    arguments: [
      ("/", true), ("/org/bluez/hci0", true), ("/0", true), ("/_", true), ("", false),
      ("a", false), ("/a/", false), ("//", false), ("/a//b", false), ("/a-b", false), ("/ä", false),
    ]
  )
  func path(text: String, isValid: Bool) {
    #expect(((try? ObjectPath(text)) != nil) == isValid)
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
    "below means deeper",
    arguments: [
      ("/a/b", "/a", true), ("/a/b/c", "/a", true), ("/a", "/", true), ("/a", "/a", false),
      ("/ab", "/a", false), ("/", "/", false), ("/a", "/a/b", false),
    ] as [(ObjectPath, ObjectPath, Bool)]
  )
  func below(path: ObjectPath, other: ObjectPath, isBelow: Bool) {
    #expect(path.isBelow(other) == isBelow)
  }

  @Test("an error states the kind, the text and the reason")
  func complaint() {
    #expect(throws: DBusNameError(kind: .member, text: "a.b", reason: "it has a dot")) {
      try DBusName.checkMember("a.b")
    }
  }
}
