// Observed calls: what both fronts report of the calls to one destination.

import Fixtures
import Signals
import Testing

@testable import DBus

@Suite("Message bus: observed calls")
struct ObservedCallTests {
  @Test(
    "a call and its end are a line each; calls to others are not reported",
    arguments: Front.all
  )
  func lines(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let observed = Recorded<String>()
    bus.client.observeCalls(to: bus.server.uniqueName) { observed.add($0) }
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
    bus.client.observeCalls(to: bus.server.uniqueName) { line in
      observed.add(line)
      // Nobody answers.
      if line.hasPrefix("call") { bus.client.close() }
    }
    await #expect(throws: BusFailure.self) { try await bus.client.call(bus.call("Hold")) }
    let lines = observed.all
    #expect(lines.count == 2)
    #expect(lines.last?.hasPrefix("error to 1 Hold: ") == true, "\(lines)")
  }
}
