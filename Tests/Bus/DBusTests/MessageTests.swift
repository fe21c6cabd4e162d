// Messages as values, and match rules.

import Testing

@testable import DBus

@Suite("Message")
struct MessageTests {
  func call() throws -> Message {
    var call = try Message.methodCall(
      destination: "org.bluez", path: "/org/bluez", interface: "org.bluez.Adapter1",
      member: "StartDiscovery", body: [.string("a"), .byte(1)]
    )
    call.serial = 7
    call.sender = ":1.3"
    return call
  }

  @Test("a reply is addressed to the caller")
  func reply() throws {
    let reply = try call().reply([.byte(2)])
    #expect(reply.kind == .methodReturn)
    #expect(reply.replySerial == 7)
    #expect(reply.destination == ":1.3")
    #expect(reply.body == [.byte(2)])
    let error = try call().errorReply(DBusError(name: .failed, message: "no"))
    #expect(DBusError(error) == DBusError(name: .failed, message: "no"))
    #expect(DBusError(reply) == nil)
  }

  @Test("an error with an invalid name is still sent")
  func badErrorName() throws {
    let error = try call().errorReply(DBusError(name: "no name", message: "why"))
    #expect(DBusError(error) == DBusError(name: .failed, message: "no name: why"))
  }

  @Test("changing a copy of a message does not change the original")
  func copies() throws {
    let first = try call()
    var second = first
    second.serial = 8
    #expect(first.serial == 7)
    #expect(first != second)
    second.serial = 7
    #expect(first == second)
    #expect(first.signature == "sy")
  }

  @Test("invalid names are refused")
  func names() {
    #expect(throws: DBusNameError.self) {
      try Message.signal(path: "/", interface: "nodot", member: "A")
    }
    #expect(throws: DBusNameError.self) {
      try MethodCall(destination: "x", path: "/", interface: "a.b", member: "C")
    }
  }
}

@Suite("Match rule")
struct MatchRuleTests {
  @Test("a match rule is written in the bus syntax")
  func text() {
    let rule = MatchRule(
      sender: "org.bluez", pathNamespace: "/org", interface: "a.b", member: "C", arg0: "it's",
      arg0Namespace: "x", arg0Path: "/a/"
    )
    #expect(
      rule.text == "type='signal',sender='org.bluez',path_namespace='/org',interface='a.b',"
        + "member='C',arg0='it'\\''s',arg0namespace='x',arg0path='/a/'"
    )
    #expect(MatchRule(type: nil).text == "")
    #expect(MatchRule(type: .methodCall, path: "/").text == "type='method_call',path='/'")
  }

  static func signal(_ body: [DBusValue] = []) throws -> Message {
    var signal = try Message.signal(path: "/a/b", interface: "x.y", member: "Z", body: body)
    signal.sender = ":1.9"
    return signal
  }

  @Test(
    "a match rule matches by header",
    arguments: [
      (MatchRule(), true), (MatchRule(type: .methodCall), false), (MatchRule(type: nil), true),
      (MatchRule(path: "/a/b"), true), (MatchRule(path: "/a"), false),
      (MatchRule(pathNamespace: "/a"), true), (MatchRule(pathNamespace: "/a/b"), true),
      (MatchRule(pathNamespace: "/a/b/c"), false), (MatchRule(pathNamespace: "/"), true),
      (MatchRule(interface: "x.y", member: "Z"), true), (MatchRule(member: "Y"), false),
      (MatchRule(interface: "x"), false), (MatchRule(destination: ":1.1"), false),
      (MatchRule(sender: ":1.9"), true), (MatchRule(sender: ":1.8"), false),
      (MatchRule(sender: "org.bluez"), true), (MatchRule(sender: "org.other"), false),
      (MatchRule(sender: "org.freedesktop.DBus"), false),
    ]
  )
  func header(rule: MatchRule, isMatch: Bool) throws {
    let isMatched = rule.matches(try Self.signal()) { $0 == "org.bluez" ? ":1.9" : nil }
    #expect(isMatched == isMatch)
  }

  @Test(
    "a match rule matches by first argument",
    arguments: [
      (MatchRule(arg0: "a.b"), .string("a.b"), true), (MatchRule(arg0: "a"), .string("a.b"), false),
      (MatchRule(arg0: "/a"), .objectPath("/a"), false), (MatchRule(arg0: "a"), .byte(1), false),
      (MatchRule(arg0Namespace: "a.b"), .string("a.b"), true),
      (MatchRule(arg0Namespace: "a.b"), .string("a.b.c"), true),
      (MatchRule(arg0Namespace: "a.b"), .string("a.bc"), false),
      (MatchRule(arg0Path: "/a/"), .objectPath("/a/b"), true),
      (MatchRule(arg0Path: "/a/"), .string("/"), true),
      (MatchRule(arg0Path: "/a/"), .objectPath("/a"), false),
      (MatchRule(arg0Path: "/a"), .objectPath("/a"), true),
      (MatchRule(arg0Path: "/a"), .objectPath("/a/b"), false),
    ] as [(MatchRule, DBusValue, Bool)]
  )
  func argument(rule: MatchRule, first: DBusValue, isMatch: Bool) throws {
    #expect(rule.matches(try Self.signal([first]), resolvingSender: { _ in nil }) == isMatch)
  }

  @Test(
    "a match rule that the bus would refuse is rejected",
    arguments: [
      MatchRule(path: "/a", pathNamespace: "/b"), MatchRule(sender: "no name"),
      MatchRule(interface: "x"), MatchRule(member: "x.y"), MatchRule(arg0Namespace: "a..b"),
    ]
  )
  func refused(rule: MatchRule) {
    let error = #expect(throws: DBusError.self) { try rule.check() }
    #expect(error?.name == .matchRuleInvalid)
  }
}
