// Messages that an observer of a connection receives, over both transports.

import Fixtures
import Signals
import Testing

@testable import DBus

@Suite("Message bus: observed messages")
struct ObservationContractTests {
  /// A message without the parts that differ from bus to bus.
  private static func text(_ message: Message) -> String {
    let body = message.body.map(\.text).joined(separator: ", ")
    return "\(message.kind) \(message.member ?? message.errorName ?? "")(\(body))"
  }

  @Test("calls and the replies that a caller waits for are observed", arguments: Front.all)
  func calls(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let observed = Guarded<[Message]>([])
    bus.client.observe { message, _ in observed.withLock { $0.append(message) } }
    _ = try await bus.client.call(bus.call("Echo", [.string("a\nb"), .bytes([1, 0xff])]))
    await #expect(throws: DBusError.self) { try await bus.client.call(bus.call("Fail")) }
    let messages = observed.withLock { $0 }
    #expect(
      messages.map(Self.text) == [
        #"methodCall Echo("a\nb", 0x01ff)"#, #"methodReturn ("a\nb", 0x01ff)"#,
        "methodCall Fail()", #"error org.example.Error.No("no")"#,
      ]
    )
    #expect(messages[0].destination == bus.server.uniqueName)
    #expect(messages[1].replySerial == messages[0].serial)
  }

  @Test(
    "a call that fails because the bus closes is observed as an error without a name",
    arguments: Front.all)
  func end(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let observed = Recorded<String>()
    bus.client.observe { message, _ in
      observed.add(Self.text(message))
      // The call gets no reply.
      if message.kind == .methodCall { bus.client.close() }
    }
    await #expect(throws: BusFailure.self) { try await bus.client.call(bus.call("Hold")) }
    let lines = observed.all
    #expect(lines.count == 2)
    #expect(lines.last?.hasPrefix(#"error ("the connection to the bus "#) == true, "\(lines)")
  }

  @Test("signals that match a rule and incoming calls are observed", arguments: Front.all)
  func arriving(front: Front) async throws {
    let bus = try await ContractBus(front)
    let observed = Recorded<String>()
    _ = try bus.client.export(Echo())
    let rule = MatchRule(sender: bus.server.uniqueName, interface: ContractBus.interface)
    let subscription = try await bus.client.subscribe(rule) { _ in }
    bus.client.observe { message, _ in observed.add(Self.text(message)) }
    let signal = try Message.signal(
      path: "/a", interface: ContractBus.interface, member: "Heard", body: [.uint32(7)]
    )
    try bus.server.send(signal)
    let call = try MethodCall(
      destination: bus.client.uniqueName, path: "/a", interface: ContractBus.interface,
      member: "Echo", body: [.string("b")]
    )
    _ = try await bus.server.call(call, limit: .seconds(10), lateReply: nil)
    subscription.cancel()
    #expect(observed.all == ["signal Heard(7)", #"methodCall Echo("b")"#])
  }
}
