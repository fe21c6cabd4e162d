// Failures that only libdbus connections have: a missing bus, or a bus that does not answer.

import DBus
import Fixtures
import Signals
import Testing

@Suite("Connections through libdbus", .blocking)
struct OpeningTests {
  let daemon: PrivateDaemon
  let loop = EventLoop()

  init() throws { daemon = try PrivateDaemon() }

  @Test("a missing bus is reported at once, with its address and the reason")
  func missing() async {
    let address = "unix:path=/nowhere/bus"
    let error = await #expect(throws: BusFailure.self) {
      _ = try await MessageBus.open(address: .given(address), on: self.loop)
    }
    guard case .unreachable(address, let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("/nowhere/bus"))
    await #expect(throws: BusFailure.self) {
      _ = try await MessageBus.open(address: .given("nonsense"), on: self.loop)
    }
  }

  @Test("the deadline ends the wait for an unresponsive bus")
  func mute() async {
    daemon.pause()
    let error = await #expect(throws: TimedOut.self) {
      _ = try await MessageBus.open(
        address: .given(self.daemon.address), on: self.loop, limit: .milliseconds(20)
      )
    }
    #expect(error?.after == .milliseconds(20))
  }

  @Test("closing the bus resumes every caller that waits for a match rule")
  func endWhileSubscribing() async throws {
    let client = try await MessageBus.open(address: .given(daemon.address), on: loop)
    daemon.pause()
    let rule = MatchRule(sender: "org.example.Name", interface: "org.example.Echo")
    let waiting = (0..<2).map { _ in
      loop.task { _ = try await client.subscribe(rule) { _ in } }
    }
    let cancelled = loop.task { _ = try await client.subscribe(MatchRule()) { _ in } }
    try await wait(on: loop, operation: "the loop") { (done: Completion<Void>) in
      loop.post { done.succeed(()) }
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    client.close()
    for task in waiting { await #expect(throws: BusFailure.self) { try await task.value } }
    await #expect(throws: BusFailure.self) {
      _ = try await client.subscribe(rule) { _ in }
    }
    #expect(throws: BusFailure.self) { _ = try client.export(Echo()) }
  }
}
