// Calls, errors and endings: what connections over both wires promise, tested with one body.

import DBus
import Glibc
import Signals
import Testing

@Suite("Message bus: calls")
struct CallContractTests {
  @Test("repeated calls each get a reply", arguments: Front.all)
  func echo(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let body: [DBusValue] = [.string("a"), .bytes([1, 2]), .properties(["x": .uint16(1)])]
    let call = bus.call("Echo", body)
    for _ in 0..<5 {
      let reply = try await bus.client.call(call)
      #expect(reply.body == body)
      #expect(reply.sender == bus.server.uniqueName)
      #expect(reply.destination == bus.client.uniqueName)
    }
  }

  @Test("a large message is sent in both directions", arguments: Front.all)
  func large(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let body = [DBusValue.bytes([UInt8](repeating: 3, count: 5 << 20))]
    #expect(try await bus.client.call(bus.call("Echo", body)).body == body)
  }

  @Test("each of a thousand concurrent calls gets its own reply", arguments: Front.all)
  func many(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          let body = [DBusValue.int32(Int32(number))]
          let reply = try await bus.client.call(bus.call("Echo", body))
          #expect(reply.body == body)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("errors keep their names and messages", arguments: Front.all)
  func errors(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    await #expect(throws: DBusError(name: "org.example.Error.No", message: "no")) {
      try await bus.client.call(bus.call("Fail"))
    }
    let unknown = await #expect(throws: DBusError.self) {
      try await bus.client.call(bus.call("Unknown", [.byte(1)]))
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
      destination: "org.example.Nobody", path: "/", interface: "a.b", member: "C"
    )
    let unowned = await #expect(throws: DBusError.self) { try await bus.client.call(nobody) }
    #expect(unowned?.name == .serviceUnknown)
  }

  @Test("every connection answers a ping", arguments: Front.all)
  func ping(front: Front) async throws {
    let bus = try await ContractBus(front)
    let ping = try MethodCall(
      destination: bus.server.uniqueName, path: "/x", interface: "org.freedesktop.DBus.Peer",
      member: "Ping"
    )
    #expect(try await bus.client.call(ping).body == [])
  }

  @Test("a value that cannot be sent fails only its own call", arguments: Front.all)
  func unsendable(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    await #expect(throws: DBusValueError.containsNUL("\0")) {
      try await bus.client.call(bus.call("Echo", [.string("\0")]))
    }
    #expect(try await bus.client.call(bus.call("Echo")).body == [])
  }

  @Test("a deadline ends the call at once, and the late reply is delivered", arguments: Front.all)
  func lateReply(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let late = Guarded<[Result<Message, DBusError>]>([])
    await #expect(throws: TimedOut.self) {
      try await bus.client.call(bus.call("Hold"), limit: .milliseconds(20)) { reply in
        late.withLock { $0.append(reply) }
      }
    }
    // The server receives this behind the call, which may have taken its time.
    _ = try await bus.client.call(bus.call("Echo"))
    echo.held.withLock { $0 }.first?.reply([.byte(7)])
    // The next reply of the same server comes behind the late one.
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(late.withLock { $0 }.map { try? $0.get().body } == [[.byte(7)]])
  }

  @Test("a cancelled call ends at once", arguments: Front.all)
  func cancelled(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let task = bus.loop.task { try await bus.client.call(bus.call("Hold")) }
    _ = try await bus.client.call(bus.call("Echo"))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    _ = try await bus.client.call(bus.call("Echo"))
  }

  @Test("closing the bus fails every pending call at once", arguments: Front.all)
  func end(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let closed = Guarded<[BusFailure]>([])
    let late = Guarded<[DBusError.Name]>([])
    bus.client.onClose { failure in closed.withLock { $0.append(failure) } }
    let waiting = (0..<3).map { _ in bus.loop.task { try await bus.client.call(bus.call("Hold")) } }
    await #expect(throws: TimedOut.self) {
      try await bus.client.call(bus.call("Hold"), limit: .milliseconds(1)) { reply in
        if case .failure(let error) = reply { late.withLock { $0.append(error.name) } }
      }
    }
    bus.stop()
    let failure = BusFailure.closed(address: bus.client.address, reason: "the bus closed it")
    for task in waiting { await #expect(throws: failure) { try await task.value } }
    await #expect(throws: failure) { try await bus.client.call(bus.call("Echo")) }
    #expect(throws: failure) { try bus.client.send(bus.signal("A")) }
    try await bus.posted()
    #expect(closed.withLock { $0 } == [failure])
    #expect(late.withLock { $0 } == [.disconnected])
  }

  @Test(
    "closing ends all calls and subscriptions; a second close has no effect", arguments: Front.all)
  func close(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let task = bus.loop.task { try await bus.client.call(bus.call("Hold")) }
    _ = try await bus.client.call(bus.call("Echo"))
    let closed = Guarded(0)
    bus.client.onClose { _ in closed.withLock { $0 += 1 } }
    bus.client.close()
    bus.client.close()
    await #expect(throws: BusFailure.self) { try await task.value }
    bus.client.onClose { _ in closed.withLock { $0 += 1 } }
    try await bus.posted()
    #expect(closed.withLock { $0 } == 2)
  }

  @Test("a file descriptor arrives open", arguments: Front.all)
  func descriptor(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let reading = UnixFD(owning: ends[0])
    let writing = UnixFD(owning: ends[1])
    let reply = try await bus.client.call(bus.call("Echo", [.unixFD(writing)]))
    let copy = try #require(reply.body.first?.asUnixFD)
    var octet: UInt8 = 9
    #expect(write(copy.descriptor, &octet, 1) == 1)
    octet = 0
    #expect(read(reading.descriptor, &octet, 1) == 1)
    #expect(octet == 9)
  }
}
