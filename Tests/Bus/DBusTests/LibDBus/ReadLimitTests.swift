// Oversized messages are rejected before their values are copied.

import CDBus
import Testing

@testable import DBus

@Suite("Limits on received messages")
struct ReadLimitTests {
  private var limits: ReadLimits {
    var limits = ReadLimits()
    limits.element = 100
    limits.variant = 150
    limits.reply = 1000
    limits.signal = 300
    limits.values = 20
    return limits
  }

  private func reply(_ body: [DBusValue]) throws -> Message {
    var contents = Message.Contents(kind: .methodReturn)
    contents.replySerial = 1
    contents.body = body
    return try Message(contents).received(within: limits)
  }

  private static func bytes(_ count: Int) -> DBusValue {
    .bytes([UInt8](repeating: 1, count: count))
  }

  private static func text(_ count: Int) -> DBusValue {
    .string(String(repeating: "a", count: count))
  }

  @Test("a message within the limits is read")
  func within() throws {
    let body = [
      Self.bytes(100), Self.text(100), .variant(of: Self.bytes(100)),
      .variant(of: .properties(["a": Self.bytes(50), "b": Self.bytes(50)])),
    ]
    #expect(try reply(body).body == body)
  }

  @Test(
    "a message that exceeds a limit is rejected, naming the limit",
    arguments: [
      ([bytes(101)], "an array of 101 bytes"),
      ([text(101)], "a text of 101 bytes"),
      ([.properties(["a": bytes(101)])], "an array of 101 bytes"),
      (
        [.variant(of: .properties(["a": bytes(100), "b": bytes(100)]))],
        "a property has more than 150 bytes"
      ),
      ([DBusValue](repeating: bytes(100), count: 11), "too long together"),
      ([.strings([String](repeating: "", count: 30))], "more than 20 values"),
    ] as [([DBusValue], String)]
  )
  func beyond(body: [DBusValue], reason: String) throws {
    let error = try #require(throws: DBusError.self) { try reply(body) }
    #expect(error.name == .messageTooLarge)
    #expect(error.message.contains(reason), "\(error)")
  }

  @Test("a signal keeps the arguments before the rejected one")
  func signal() throws {
    let message = try Message.signal(
      path: "/a", interface: "a.b", member: "C",
      body: [.string("first"), .properties(["Value": Self.bytes(101)]), .strings([])]
    )
    let received = try message.received(within: limits)
    #expect(received.body == [.string("first")])
    #expect(received.refusal?.name == .messageTooLarge)
    let other = try Message.signal(path: "/a", interface: "a.b", member: "C", body: [])
    #expect(try other.received(within: limits).refusal == nil)
  }
}
