// An in-memory bus that delivers nothing for a while.

import Signals
import Testing

@testable import DBus

@Suite("A stalled bus in memory")
struct StalledBusTests {
  @Test(
    "messages sent while the bus is stalled are delivered and answered in order when it resumes"
  )
  func order() throws {
    let loop = VirtualTimeLoop()
    defer { loop.end() }
    let observed = Guarded<[String]>([])
    let bus = LoopbackBus(on: loop) { message, _ in
      if let member = message.member { observed.withLock { $0.append(member) } }
    }
    let (client, server) = (try bus.connect(), try bus.connect())
    let received = Guarded<[String]>([])
    let calls = ["First", "Second", "Third"]
    try loop.run {
      _ = try await server.subscribe(MatchRule(interface: "org.example.Echo")) { message in
        received.withLock { $0.append(message.member ?? "") }
      }
      bus.stall()
      for member in calls {
        try client.send(
          Message.signal(path: "/", interface: "org.example.Echo", member: member, body: [])
        )
      }
      try await loop.sleep(for: .seconds(60))
    }
    #expect(received.withLock { $0 } == [])
    #expect(observed.withLock { $0.suffix(3) } == calls[...], "the observer sees each sent message")
    loop.post { bus.resume() }
    try loop.run { try await loop.sleep(for: .zero) }
    #expect(received.withLock { $0 } == calls)
    let owner = try loop.run { try await client.nameOwner(server.uniqueName) }
    #expect(owner == server.uniqueName)
  }

  @Test("a call held by a stalled bus ends at its own deadline")
  func deadline() throws {
    let loop = VirtualTimeLoop()
    defer { loop.end() }
    let bus = LoopbackBus(on: loop)
    let client = try bus.connect()
    bus.stall()
    #expect(throws: TimedOut.self) {
      try loop.run { _ = try await client.nameOwner("org.example.Nobody") }
    }
    #expect(loop.now.sinceStart <= .seconds(30))
  }
}
