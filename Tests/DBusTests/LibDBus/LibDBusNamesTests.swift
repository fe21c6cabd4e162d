// Signals and names of the libdbus front against a real dbus-daemon.

import DBus
import Signals
import Testing

extension LibDBusConnectionTests {
  /// What handlers heard, in order.
  final class Heard: Sendable {
    private let list = Guarded<[String]>([])
    var all: [String] { list.withLock { $0 } }
    func add(_ what: String) { list.withLock { $0.append(what) } }
  }

  @Test("signals are heard in order, before the reply behind them")
  func order() async throws {
    _ = try server.export(Echo())
    let heard = Heard()
    let rule = MatchRule(path: "/a", interface: Self.interface)
    let subscription = try await client.subscribe(rule) { heard.add($0.member ?? "") }
    for member in ["A", "B", "C"] { try server.send(signal(member)) }
    _ = try await client.call(call("Echo"))
    #expect(heard.all == ["A", "B", "C"])
    subscription.cancel()
    subscription.cancel()
    try server.send(signal("D"))
    _ = try await client.call(call("Echo"))
    #expect(heard.all == ["A", "B", "C"])
  }

  @Test("a rule shared by two is kept for the other")
  func sharedRule() async throws {
    _ = try server.export(Echo())
    let heard = Heard()
    let rule = MatchRule(interface: Self.interface)
    async let one = client.subscribe(rule) { heard.add("1 \($0.member ?? "")") }
    async let two = client.subscribe(rule) { heard.add("2 \($0.member ?? "")") }
    let (first, second) = try await (one, two)
    first.cancel()
    try server.send(signal("A"))
    _ = try await client.call(call("Echo"))
    #expect(heard.all == ["2 A"])
    second.cancel()
  }

  @Test("a handler that another one cancels is not called again")
  func cancelInside() async throws {
    _ = try server.export(Echo())
    let heard = Heard()
    let other = Guarded<Subscription?>(nil)
    let first = try await client.subscribe(MatchRule(interface: Self.interface)) { _ in
      heard.add("first")
      other.withLock { $0 }?.cancel()
    }
    let second = try await client.subscribe(MatchRule(interface: Self.interface, member: "A")) {
      _ in heard.add("second")
    }
    other.withLock { $0 = second }
    try server.send(signal("A"))
    _ = try await client.call(call("Echo"))
    #expect(heard.all == ["first"])
    first.cancel()
  }

  @Test("everybody who waits for a rule hears of the end")
  func endWhileSubscribing() async throws {
    daemon.pause()
    let rule = MatchRule(sender: "org.example.Name", interface: Self.interface)
    let waiting = (0..<2).map { _ in
      loop.task { _ = try await self.client.subscribe(rule) { _ in } }
    }
    let cancelled = loop.task { _ = try await self.client.subscribe(MatchRule()) { _ in } }
    try await posted()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    client.close()
    for task in waiting { await #expect(throws: BusFailure.self) { try await task.value } }
    await #expect(throws: BusFailure.self) {
      _ = try await self.client.subscribe(rule) { _ in }
    }
    #expect(throws: BusFailure.self) { _ = try self.client.export(Echo()) }
  }

  @Test("a rule that the bus would refuse is an error")
  func badRule() async {
    await #expect(throws: DBusError.self) {
      _ = try await self.client.subscribe(MatchRule(member: "a.b")) { _ in }
    }
  }

  @Test("a well-known name is asked for, given, watched and given back")
  func names() async throws {
    let name = "org.example.Name"
    let heard = Heard()
    let watch = try await client.watchOwner(of: name) { heard.add($0 ?? "nobody") }
    #expect(heard.all == ["nobody"])
    #expect(try await client.nameOwner(name) == nil)
    #expect(try await server.requestName(name, flags: []) == .primaryOwner)
    #expect(try await server.requestName(name, flags: []) == .alreadyOwner)
    #expect(try await client.requestName(name, flags: .doNotQueue) == .exists)
    #expect(try await client.nameOwner(name) == server.uniqueName)
    let late = Heard()
    let second = try await client.watchOwner(of: name) { late.add($0 ?? "nobody") }
    try await server.releaseName(name)
    #expect(try await client.nameOwner(name) == nil)
    #expect(heard.all == ["nobody", server.uniqueName, "nobody"])
    #expect(late.all == [server.uniqueName, "nobody"])
    watch.cancel()
    second.cancel()
    try await server.releaseName(name)
  }

  @Test("a rule for a well-known sender follows its owner")
  func sender() async throws {
    _ = try server.export(Echo())
    let heard = Heard()
    let rule = MatchRule(sender: "org.example.Name", interface: Self.interface)
    let other = MatchRule(interface: Self.interface)
    let subscriptions = try await [
      client.subscribe(rule) { heard.add("owner \($0.member ?? "")") },
      client.subscribe(other) { heard.add("any \($0.member ?? "")") },
    ]
    try server.send(signal("A"))
    _ = try await server.requestName("org.example.Name", flags: [])
    try server.send(signal("B"))
    try await server.releaseName("org.example.Name")
    try server.send(signal("C"))
    _ = try await client.call(call("Echo"))
    #expect(heard.all == ["any A", "owner B", "any B", "any C"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test("a call without a reply arrives, and nothing is answered")
  func noReply() async throws {
    let echo = Echo()
    _ = try server.export(echo)
    let message = try Message.methodCall(
      destination: server.uniqueName,
      path: "/a",
      interface: Self.interface,
      member: "Hold",
      noReplyExpected: true
    )
    try client.send(message)
    _ = try await client.call(call("Echo"))
    let held = try #require(echo.held.withLock { $0 }.first)
    #expect(held.message.noReplyExpected)
    held.reply()
    #expect(held.hasAnswer)
    _ = try await client.call(call("Echo"))
  }
}
