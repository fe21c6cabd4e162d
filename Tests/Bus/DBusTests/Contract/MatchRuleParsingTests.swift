// Parsing match rules from text.

import Testing

@testable import DBus

@Suite("Parsing match rules")
struct MatchRuleParsingTests {
  static let rules = [
    MatchRule(),
    MatchRule(type: nil),
    MatchRule(sender: "org.bluez", path: "/org/bluez", interface: "a.b", member: "C"),
    MatchRule(pathNamespace: "/org", destination: ":1.5", arg0Namespace: "org.bluez"),
    MatchRule(arg0: "it's, \\ quoted", arg0Path: "/org/"),
    MatchRule(arg0: "a'\u{301},member=\u{301}"),
  ]

  @Test("a rule is parsed from its text", arguments: rules)
  func roundTrip(rule: MatchRule) throws {
    #expect(try MatchRule(parsing: rule.text) == rule)
  }

  @Test(
    "an invalid rule is rejected",
    arguments: [
      "type", "type='signals'", "member='a.b'", "path='x'", "colour='red'", "type='signal",
      "type='signal',type='signal'", "path='/a',path_namespace='/a'",
    ]
  )
  func refused(text: String) {
    let error = #expect(throws: DBusError.self) { try MatchRule(parsing: text) }
    #expect(error?.name == .matchRuleInvalid)
  }

  @Test("spaces and eavesdrop are accepted, and quotes are optional")
  func lenient() throws {
    let rule = try MatchRule(parsing: " type=signal, member='C',eavesdrop='true'")
    #expect(rule == MatchRule(member: "C"))
  }
}
