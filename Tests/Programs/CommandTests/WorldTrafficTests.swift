// The messages to and from bluetoothd that are kept for failures.

import Bluetooth
import DBus
import Signals
import Testing

@testable import Program

@Suite("Messages to and from bluetoothd")
struct WorldTrafficTests {
  /// Answers Connect, refuses Pair, and never answers other calls.
  private struct Daemon: ObjectHandler {
    func handle(_ invocation: Invocation) -> Bool {
      switch invocation.message.member {
      case "Connect": invocation.reply([.string("done")])
      case "Pair": invocation.fail(DBusError(name: "org.bluez.Error.Failed", message: "no"))
      default: break
      }
      return true
    }
  }

  @Test("calls are numbered and paired with their replies; calls to other services are ignored")
  func calls() throws {
    let loop = VirtualTimeLoop()
    defer { loop.end() }
    let bus = LoopbackBus(on: loop)
    let (daemon, client) = (try bus.connect(), try bus.connect())
    let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    let traffic = WorldTraffic(on: loop)
    traffic.know("Lamp") { try? ObjectPath(device) }
    _ = try daemon.export(Daemon())
    client.observe(traffic.receive)
    @Sendable func call(_ member: String) throws -> MethodCall {
      try MethodCall(
        destination: "org.bluez", path: ObjectPath(device), interface: "org.bluez.Device1",
        member: member,
        body: member == "Hold" ? [.string(String(repeating: "a", count: 9_999))] : []
      )
    }
    try loop.run {
      _ = try await daemon.requestName("org.bluez", flags: [])
      _ = try await client.nameOwner("org.bluez")
      _ = try await client.call(call("Connect"))
      _ = try? await client.call(call("Pair"))
      let held = loop.task { _ = try await client.call(call("Hold")) }
      try await loop.sleep(for: .seconds(1))
      bus.shutDown()
      _ = await held.result
    }
    let messages = traffic.latest(about: "Lamp", since: .zero)
    let texts = messages.map { "\($0.kind) \($0.number ?? 0) \($0.member) \($0.error ?? "")" }
    #expect(
      texts == [
        "call 1 Connect ", "reply 1 Connect ", "call 2 Pair ",
        "error 2 Pair org.bluez.Error.Failed",
        "call 3 Hold ", "error 3 Hold ",
      ]
    )
    #expect(Set(messages.map(\.object)) == [device])
    #expect([1, 3].map { messages[$0].arguments } == [#"("done")"#, #"("no")"#])
    #expect(messages[4].arguments.hasSuffix("a…)"))
    #expect(messages[5].arguments == "the connection to the bus loopback ended: the bus closed it")
    #expect(messages[4].arguments.count == KeptMessage.textLimit + 3)
  }
}
