// The libdbus front against a real dbus-daemon.

import DBus
import Glibc
import Signals
import Testing

@Suite("libdbus connection")
final class LibDBusConnectionTests: Sendable {
  static let interface = "org.example.Echo"
  let daemon: PrivateDaemon
  let loop = EventLoop()
  let client: LibDBusConnection
  let server: LibDBusConnection

  init() async throws {
    daemon = try PrivateDaemon()
    client = try await .open(address: .given(daemon.address), on: loop)
    server = try await .open(address: .given(daemon.address), on: loop)
  }

  deinit {
    client.close()
    server.close()
  }

  /// Answers Echo with its arguments, Fail with an error, Fall by closing; keeps Hold.
  struct Echo: ObjectHandler {
    let held = Guarded<[Invocation]>([])

    func handle(_ invocation: Invocation) -> Bool {
      switch invocation.message.member {
      case "Echo": invocation.reply(invocation.message.body)
      case "Fail": invocation.fail(DBusError(name: "org.example.Error.No", message: "no"))
      case "Hold": held.withLock { $0.append(invocation) }
      default: return false
      }
      return true
    }
  }

  func call(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
    do {
      return try MethodCall(
        destination: server.uniqueName,
        path: "/a",
        interface: Self.interface,
        member: member,
        body: body
      )
    } catch {
      preconditionFailure("\(error)")
    }
  }

  func signal(_ member: String) -> Message {
    do {
      return try .signal(path: "/a", interface: Self.interface, member: member)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  @Test("a missing bus is told at once, with its address and the reason")
  func missing() async {
    let address = "unix:path=/nowhere/bus"
    let error = await #expect(throws: BusFailure.self) {
      _ = try await LibDBusConnection.open(address: .given(address), on: self.loop)
    }
    guard case .unreachable(address, let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("/nowhere/bus"))
    await #expect(throws: BusFailure.self) {
      _ = try await LibDBusConnection.open(address: .given("nonsense"), on: self.loop)
    }
  }

  @Test("a bus that does not answer is waited for no longer than asked")
  func mute() async {
    daemon.pause()
    let error = await #expect(throws: TimedOut.self) {
      _ = try await LibDBusConnection.open(
        address: .given(self.daemon.address),
        on: self.loop,
        limit: .milliseconds(20)
      )
    }
    #expect(error?.after == .milliseconds(20))
  }

  @Test("a call gets its reply, again and again")
  func echo() async throws {
    _ = try server.export(Echo())
    let body: [DBusValue] = [.string("a"), .bytes([1, 2]), .properties(["x": .uint16(1)])]
    let call = call("Echo", body)
    for _ in 0..<5 {
      let reply = try await client.call(call)
      #expect(reply.body == body)
      #expect(reply.sender == server.uniqueName)
      #expect(reply.destination == client.uniqueName)
    }
  }

  @Test("a large message goes both ways")
  func large() async throws {
    _ = try server.export(Echo())
    let body = [DBusValue.bytes([UInt8](repeating: 3, count: 5 << 20))]
    #expect(try await client.call(call("Echo", body)).body == body)
  }

  @Test("a thousand calls at once get each its own reply")
  func many() async throws {
    _ = try server.export(Echo())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let body = [DBusValue.int32(Int32(number))]
          let reply = try await self.client.call(self.call("Echo", body))
          #expect(reply.body == body)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("errors keep their name and text")
  func errors() async throws {
    _ = try server.export(Echo())
    await #expect(throws: DBusError(name: "org.example.Error.No", message: "no")) {
      try await self.client.call(self.call("Fail"))
    }
    let unknown = await #expect(throws: DBusError.self) {
      try await self.client.call(self.call("Unknown", [.byte(1)]))
    }
    #expect(
      unknown
        == DBusError(
          name: .unknownObject,
          message: "Method \"Unknown\" with signature \"y\" on interface \"org.example.Echo\""
            + " doesn't exist\n"
        )
    )
    let nobody = try MethodCall(
      destination: "org.example.Nobody",
      path: "/",
      interface: "a.b",
      member: "C"
    )
    let unowned = await #expect(throws: DBusError.self) { try await self.client.call(nobody) }
    #expect(unowned?.name == .serviceUnknown)
  }

  @Test("every connection answers a ping")
  func ping() async throws {
    let ping = try MethodCall(
      destination: server.uniqueName,
      path: "/x",
      interface: "org.freedesktop.DBus.Peer",
      member: "Ping"
    )
    #expect(try await client.call(ping).body == [])
  }

  @Test("what cannot be sent fails the call alone")
  func unsendable() async throws {
    _ = try server.export(Echo())
    await #expect(throws: DBusValueError.containsNUL("\0")) {
      try await self.client.call(self.call("Echo", [.string("\0")]))
    }
    #expect(try await client.call(call("Echo")).body == [])
  }

  @Test("a deadline ends the call at once, and the late reply is handed on")
  func lateReply() async throws {
    let echo = Echo()
    _ = try server.export(echo)
    let late = Guarded<[Result<Message, DBusError>]>([])
    await #expect(throws: TimedOut.self) {
      try await self.client.call(self.call("Hold"), limit: .milliseconds(20)) { reply in
        late.withLock { $0.append(reply) }
      }
    }
    echo.held.withLock { $0 }.first?.reply([.byte(7)])
    // The next reply of the same server comes behind the late one.
    _ = try await client.call(call("Echo"))
    #expect(late.withLock { $0 }.map { try? $0.get().body } == [[.byte(7)]])
  }

  @Test("a cancelled call ends at once")
  func cancelled() async throws {
    let echo = Echo()
    _ = try server.export(echo)
    let task = loop.task { try await self.client.call(self.call("Hold")) }
    _ = try await client.call(call("Echo"))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = try await client.call(call("Echo"))
  }

  @Test("the end of the bus fails every call at once")
  func end() async throws {
    let echo = Echo()
    _ = try server.export(echo)
    let closed = Guarded<[BusFailure]>([])
    let late = Guarded<[DBusError.Name]>([])
    client.onClose { failure in closed.withLock { $0.append(failure) } }
    let waiting = (0..<3).map { _ in loop.task { try await self.client.call(self.call("Hold")) } }
    await #expect(throws: TimedOut.self) {
      try await self.client.call(self.call("Hold"), limit: .milliseconds(1)) { reply in
        if case .failure(let error) = reply { late.withLock { $0.append(error.name) } }
      }
    }
    daemon.stop()
    let failure = BusFailure.closed(address: daemon.address, reason: "the bus closed it")
    for task in waiting { await #expect(throws: failure) { try await task.value } }
    await #expect(throws: failure) { try await self.client.call(self.call("Echo")) }
    #expect(throws: failure) { try self.client.send(self.signal("A")) }
    try await posted()
    #expect(closed.withLock { $0 } == [failure])
    #expect(late.withLock { $0 } == [.disconnected])
  }

  @Test("closing ends everything, twice is once")
  func close() async throws {
    let echo = Echo()
    _ = try server.export(echo)
    let task = loop.task { try await self.client.call(self.call("Hold")) }
    _ = try await client.call(call("Echo"))
    let closed = Guarded(0)
    client.onClose { _ in closed.withLock { $0 += 1 } }
    client.close()
    client.close()
    await #expect(throws: BusFailure.self) { try await task.value }
    client.onClose { _ in closed.withLock { $0 += 1 } }
    try await posted()
    #expect(closed.withLock { $0 } == 2)
  }

  /// Returns when everything posted to the loop before has run.
  func posted() async throws {
    try await wait(on: loop, operation: "the loop") { (done: Completion<Void>) in
      loop.post { done.succeed(()) }
    }
  }

  @Test("a descriptor arrives open")
  func descriptor() async throws {
    _ = try server.export(Echo())
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let reading = UnixFD(owning: ends[0])
    let writing = UnixFD(owning: ends[1])
    let reply = try await client.call(call("Echo", [.unixFD(writing)]))
    let copy = try #require(reply.body.first?.asUnixFD)
    var octet: UInt8 = 9
    #expect(write(copy.descriptor, &octet, 1) == 1)
    octet = 0
    #expect(read(reading.descriptor, &octet, 1) == 1)
    #expect(octet == 9)
  }
}
