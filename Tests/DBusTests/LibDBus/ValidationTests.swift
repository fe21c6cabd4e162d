// What is valid here is what libdbus calls valid, for texts made at random.
//
// Not unique names: libdbus takes any that begins with a colon, the specification does not.

import CDBus
import Signals
import Testing

@testable import DBus

@Suite("Validation agrees with libdbus")
struct ValidationTests {
  typealias Rule = (
    name: String, letters: String, ours: @Sendable (String) -> Bool,
    theirs: @Sendable (String) -> Bool
  )

  static let rules: [Rule] = [
    (
      "signature", "aaa{}()svyn", { (try? Signature($0)) != nil },
      { dbus_signature_validate($0, nil) != 0 }
    ),
    ("path", "//a0_-.", { (try? ObjectPath($0)) != nil }, { dbus_validate_path($0, nil) != 0 }),
    (
      "interface", "a.b0_-:", { (try? DBusName.checkInterface($0)) != nil },
      { dbus_validate_interface($0, nil) != 0 }
    ),
    (
      "member", "ab0_-.", { (try? DBusName.checkMember($0)) != nil },
      { dbus_validate_member($0, nil) != 0 }
    ),
    (
      "error name", "a.b0_-", { (try? DBusName.checkErrorName($0)) != nil },
      { dbus_validate_error_name($0, nil) != 0 }
    ),
    (
      "bus name", "a.b0_-", { (try? DBusName.checkBusName($0)) != nil },
      { dbus_validate_bus_name($0, nil) != 0 }
    ),
  ]

  @Test("for short texts", arguments: rules.map(\.name))
  func short(name: String) throws {
    let rule = try #require(Self.rules.first { $0.name == name })
    var random = SeededGenerator(seed: 1, name: name)
    let letters = Array(rule.letters)
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...9, using: &random)
      let text = String((0..<length).map { _ in letters.randomElement(using: &random) ?? "a" })
      #expect(rule.ours(text) == rule.theirs(text), "\(name) '\(text)'")
    }
  }
}
