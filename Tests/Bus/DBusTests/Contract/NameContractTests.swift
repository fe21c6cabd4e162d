// Signals and names: what connections over both wires promise, tested with one body.

import DBus
import Fixtures
import Signals
import Testing

@Suite("Message bus: signals and names")
struct NameContractTests {
  @Test("signals arrive in order, before a reply that was sent later", arguments: Front.all)
  func order(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let received = Recorded<String>()
    let rule = MatchRule(path: "/a", interface: ContractBus.interface)
    let subscription = try await bus.client.subscribe(rule) { received.add($0.member ?? "") }
    for member in ["A", "B", "C"] { try bus.server.send(bus.signal(member)) }
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(received.all == ["A", "B", "C"])
    subscription.cancel()
    subscription.cancel()
    try bus.server.send(bus.signal("D"))
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(received.all == ["A", "B", "C"])
  }

  @Test("a rule shared by two subscriptions is kept for the remaining one", arguments: Front.all)
  func sharedRule(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let received = Recorded<String>()
    let rule = MatchRule(interface: ContractBus.interface)
    async let one = bus.client.subscribe(rule) { received.add("1 \($0.member ?? "")") }
    async let two = bus.client.subscribe(rule) { received.add("2 \($0.member ?? "")") }
    let (first, second) = try await (one, two)
    first.cancel()
    try bus.server.send(bus.signal("A"))
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(received.all == ["2 A"])
    second.cancel()
  }

  @Test("a handler that another handler cancels is not called again", arguments: Front.all)
  func cancelInside(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let received = Recorded<String>()
    let other = Guarded<Subscription?>(nil)
    let first = try await bus.client.subscribe(MatchRule(interface: ContractBus.interface)) { _ in
      received.add("first")
      other.withLock { $0 }?.cancel()
    }
    let second = try await bus.client.subscribe(
      MatchRule(interface: ContractBus.interface, member: "A")
    ) {
      _ in received.add("second")
    }
    other.withLock { $0 = second }
    try bus.server.send(bus.signal("A"))
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(received.all == ["first"])
    first.cancel()
  }

  @Test("a rule that the bus refuses throws an error", arguments: Front.all)
  func badRule(front: Front) async throws {
    let bus = try await ContractBus(front)
    await #expect(throws: DBusError.self) {
      _ = try await bus.client.subscribe(MatchRule(member: "a.b")) { _ in }
    }
  }

  @Test("a well-known name is requested, owned, watched and released", arguments: Front.all)
  func names(front: Front) async throws {
    let bus = try await ContractBus(front)
    let name = "org.example.Name"
    let received = Recorded<String>()
    let watch = try await bus.client.watchOwner(of: name) { received.add($0 ?? "nobody") }
    #expect(received.all == ["nobody"])
    #expect(try await bus.client.nameOwner(name) == nil)
    #expect(try await bus.server.requestName(name, flags: []) == .primaryOwner)
    #expect(try await bus.server.requestName(name, flags: []) == .alreadyOwner)
    #expect(try await bus.client.requestName(name, flags: .doNotQueue) == .exists)
    #expect(try await bus.client.nameOwner(name) == bus.server.uniqueName)
    let late = Recorded<String>()
    let second = try await bus.client.watchOwner(of: name) { late.add($0 ?? "nobody") }
    try await bus.server.releaseName(name)
    #expect(try await bus.client.nameOwner(name) == nil)
    #expect(received.all == ["nobody", bus.server.uniqueName, "nobody"])
    #expect(late.all == [bus.server.uniqueName, "nobody"])
    watch.cancel()
    second.cancel()
    try await bus.server.releaseName(name)
  }

  @Test("a rule for a well-known sender follows its owner", arguments: Front.all)
  func sender(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    let received = Recorded<String>()
    let rule = MatchRule(sender: "org.example.Name", interface: ContractBus.interface)
    let other = MatchRule(interface: ContractBus.interface)
    let subscriptions = try await [
      bus.client.subscribe(rule) { received.add("owner \($0.member ?? "")") },
      bus.client.subscribe(other) { received.add("any \($0.member ?? "")") },
    ]
    try bus.server.send(bus.signal("A"))
    _ = try await bus.server.requestName("org.example.Name", flags: [])
    try bus.server.send(bus.signal("B"))
    try await bus.server.releaseName("org.example.Name")
    try bus.server.send(bus.signal("C"))
    _ = try await bus.client.call(bus.call("Echo"))
    #expect(received.all == ["any A", "owner B", "any B", "any C"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("a call with the no-reply flag arrives, and no reply is sent", arguments: Front.all)
  func noReply(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let message = try Message.methodCall(
      destination: bus.server.uniqueName, path: "/a", interface: ContractBus.interface,
      member: "Hold", noReplyExpected: true
    )
    try bus.client.send(message)
    _ = try await bus.client.call(bus.call("Echo"))
    let held = try #require(echo.held.withLock { $0 }.first)
    #expect(held.message.noReplyExpected)
    held.reply()
    #expect(held.hasReply)
    _ = try await bus.client.call(bus.call("Echo"))
  }

  @Test(
    "a name can be queued for, passes to the next owner, and can be replaced if its owner permits",
    arguments: Front.all)
  func queue(front: Front) async throws {
    let bus = try await ContractBus(front)
    let name = "org.example.Name"
    #expect(try await bus.server.requestName(name, flags: .allowReplacement) == .primaryOwner)
    #expect(try await bus.client.requestName(name, flags: []) == .inQueue)
    #expect(try await bus.client.requestName(name, flags: .replaceExisting) == .primaryOwner)
    #expect(try await bus.server.nameOwner(name) == bus.client.uniqueName)
    #expect(try await bus.server.requestName(name, flags: .replaceExisting) == .inQueue)
    try await bus.client.releaseName(name)
    #expect(try await bus.client.nameOwner(name) == bus.server.uniqueName)
    await #expect(throws: DBusError.self) {
      _ = try await bus.client.requestName(bus.client.uniqueName, flags: [])
    }
  }

  @Test(
    "a client that disconnects releases its names, and the bus answers its pending calls",
    arguments: Front.all)
  func leaving(front: Front) async throws {
    let bus = try await ContractBus(front)
    _ = try bus.server.export(Echo())
    _ = try await bus.server.requestName("org.example.Name", flags: [])
    let received = Recorded<String>()
    for name in ["org.example.Name", bus.server.uniqueName] {
      _ = try await bus.client.watchOwner(of: name) { received.add("\(name) \($0 ?? "nobody")") }
    }
    let waiting = bus.loop.task { try await bus.client.call(bus.call("Hold")) }
    _ = try await bus.client.call(bus.call("Echo"))
    bus.server.close()
    let error = await #expect(throws: DBusError.self) { try await waiting.value }
    #expect(
      error
        == DBusError(
          name: .noReply,
          message: "Message recipient disconnected from message bus without replying"
        )
    )
    #expect(try await bus.client.nameOwner("org.example.Name") == nil)
    let server = bus.server.uniqueName
    #expect(Set(received.all.suffix(2)) == ["org.example.Name nobody", "\(server) nobody"])
  }

  // As on the system's bus. The policy of a session's bus lets such answers through.
  @Test("an unsolicited reply is not delivered", arguments: [Front.loopback])
  func unrequestedReply(front: Front) async throws {
    let bus = try await ContractBus(front)
    let echo = Echo()
    _ = try bus.server.export(echo)
    let waiting = bus.loop.task { try await bus.client.call(bus.call("Hold")) }
    _ = try await bus.client.call(bus.call("Echo"))
    let held = try #require(echo.held.withLock { $0 }.first?.message)
    // The client itself replies to its own call; then the callee replies too.
    try bus.client.send(held.reply([.byte(1)]))
    _ = try await bus.client.nameOwner("org.example.Name")
    try bus.server.send(held.reply([.byte(2)]))
    #expect(try await waiting.value.body == [.byte(2)])
  }

  @Test("a sender that subscribes receives its own signal", arguments: Front.all)
  func ownSignal(front: Front) async throws {
    let bus = try await ContractBus(front)
    let received = Recorded<String>()
    _ = try await bus.client.subscribe(MatchRule(interface: ContractBus.interface)) { signal in
      received.add(signal.sender ?? "")
    }
    try bus.client.send(bus.signal("A"))
    _ = try await bus.client.nameOwner("org.example.Name")
    #expect(received.all == [bus.client.uniqueName])
  }
}
