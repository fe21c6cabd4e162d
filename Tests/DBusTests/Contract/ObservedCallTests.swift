// Observed calls: what both fronts report of the calls to one destination.

import Fixtures
import Signals
import Testing

@testable import DBus

@Suite("Message bus: observed calls")
struct ObservedCallTests {
  private static func text(_ message: ObservedMessage) -> String {
    let name = "\(message.interface ?? "").\(message.member)"
    return switch message.kind {
    case .call(let number): "call \(number) \(message.path ?? "/") \(name)\(message.arguments)"
    case .reply(let number): "reply to \(number) \(message.member) \(message.arguments)"
    case .error(let number, let error):
      "error to \(number) \(message.member)\(error.map { " \($0) " } ?? ": ")\(message.arguments)"
    case .signal: "signal \(message.path ?? "/") \(name)\(message.arguments)"
    case .request: "request \(message.path ?? "/") \(name)\(message.arguments)"
    }
  }

  @Test(
    "a call and its end are a line each; calls to others are not reported",
    arguments: Front.all
  )
  func lines(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let observed = Recorded<String>()
    bus.client.observeMessages(to: bus.server.uniqueName) { observed.add(Self.text($0)) }
    _ = try await bus.client.call(bus.call("Echo", [.string("a\nb"), .bytes([1, 0xff])]))
    _ = try await bus.client.nameOwner(bus.server.uniqueName)
    await #expect(throws: DBusError.self) { try await bus.client.call(bus.call("Fail")) }
    #expect(
      observed.all == [
        #"call 1 /a org.example.Echo.Echo("a\nb", 0x01ff)"#,
        #"reply to 1 Echo ("a\nb", 0x01ff)"#,
        "call 2 /a org.example.Echo.Fail()",
        #"error to 2 Fail org.example.Error.No ("no")"#,
      ]
    )
  }

  @Test("a call that the end of the bus ends is reported so", arguments: Front.all)
  func end(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let observed = Recorded<String>()
    bus.client.observeMessages(to: bus.server.uniqueName) { message in
      observed.add(Self.text(message))
      // Nobody answers.
      if case .call = message.kind { bus.client.close() }
    }
    await #expect(throws: BusFailure.self) { try await bus.client.call(bus.call("Hold")) }
    let lines = observed.all
    #expect(lines.count == 2)
    #expect(lines.last?.hasPrefix("error to 1 Hold: ") == true, "\(lines)")
  }

  @Test("signals that fit a rule and calls that arrive are reported", arguments: Front.all)
  func arriving(front: Front) async throws {
    let bus = try await ContractBus(front)
    let observed = Recorded<String>()
    _ = try bus.client.export(Echo())
    bus.client.observeMessages(to: bus.server.uniqueName) { observed.add(Self.text($0)) }
    let rule = MatchRule(sender: bus.server.uniqueName, interface: "org.example.Echo")
    let subscription = try await bus.client.subscribe(rule) { _ in }
    let signal = try Message.signal(
      path: "/a",
      interface: "org.example.Echo",
      member: "Heard",
      body: [.uint32(7)]
    )
    try bus.server.send(signal)
    let call = try MethodCall(
      destination: bus.client.uniqueName,
      path: "/a",
      interface: "org.example.Echo",
      member: "Echo",
      body: [.string("b")]
    )
    _ = try await bus.server.call(call, limit: .seconds(10), lateReply: nil)
    subscription.cancel()
    #expect(
      observed.all == [
        "signal /a org.example.Echo.Heard(7)", #"request /a org.example.Echo.Echo("b")"#,
      ]
    )
  }

  @Test("a message with much in it is kept as a short text")
  func long() {
    let text = DBusValue.string(String(repeating: "a", count: 9_999))
    let call = BusDriver.call(BusDriver.Method.addMatch, [text])
    let message = ObservedMessage(1, call)
    #expect(message.arguments.count == ObservedMessage.textLimit + 3)
    #expect(message.arguments.hasSuffix("a…)"))
  }
}
