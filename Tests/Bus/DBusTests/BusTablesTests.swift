// The pure tables behind a connection.

import Testing

@testable import DBus

@Suite("Pending calls")
struct PendingCallsTests {
  @Test("a reply is matched to its caller once")
  func once() throws {
    var calls = PendingCalls<String>()
    let first = try calls.register("a", lateReply: nil)
    let second = try calls.register("b", lateReply: nil)
    #expect([first, second] == [1, 2])
    let removed = [calls.remove(second), calls.remove(second), calls.remove(99)].map { $0?.waiter }
    #expect(removed == ["b", nil, nil])
    let rest = calls.removeAll().map(\.entry.waiter)
    #expect(rest == ["a"])
    #expect(calls.count == 0)
  }

  @Test("an abandoned call is removed unless its caller handles late replies")
  func abandoned() throws {
    var calls = PendingCalls<String>()
    let dropped = try calls.register("a", lateReply: nil)
    let kept = try calls.register("b") { _ in }
    calls.abandon(dropped)
    calls.abandon(kept)
    calls.abandon(77)
    #expect(calls.count == 1)
    let entries = [calls.remove(dropped), calls.remove(kept)]
    #expect(entries[0] == nil)
    #expect(entries[1] != nil)
    #expect(entries[1]?.waiter == nil)
    #expect(entries[1]?.lateReply != nil)
  }

  @Test("a full table, including abandoned calls, accepts no more calls")
  func full() throws {
    var calls = PendingCalls<String>(limit: 2)
    let first = try calls.register("a") { _ in }
    calls.abandon(first)
    _ = try calls.register("b", lateReply: nil)
    #expect(throws: BusFailure.callTableFull) { try calls.register("c", lateReply: nil) }
    _ = calls.remove(first)
    _ = try calls.register("c", lateReply: nil)
    #expect(calls.count == 2)
  }

  @Test("serials wrap around and skip 0")
  func wrap() throws {
    var calls = PendingCalls<String>(lastSerial: .max - 1)
    let late = try calls.register("a", lateReply: nil)
    let early = try calls.register("b", lateReply: nil)
    #expect([late, early] == [.max, 1])
    let next = calls.nextSerial()
    #expect(next == 2)
  }

  @Test("closing the bus fails all callers, in the order of their calls")
  func end() throws {
    var calls = PendingCalls<Int>()
    for number in 1...100 { _ = try calls.register(number, lateReply: nil) }
    let waiters = calls.removeAll().map(\.entry.waiter)
    #expect(waiters == Array(1...100))
  }
}

@Suite("Match table")
struct MatchTableTests {
  @Test("the bus is asked once for a rule, and all its subscriptions wait for the reply")
  func once() {
    var table = MatchTable<Int>()
    let (first, step) = table.addSubscription(to: "r", 1)
    let (second, secondStep) = table.addSubscription(to: "r", 2)
    #expect([step, secondStep] == [.add, .wait])
    #expect(first == second)
    let waiters = table.applyReply(to: first, isAccepted: true)
    #expect(waiters == [1, 2])
    let (_, thirdStep) = table.addSubscription(to: "r", 3)
    #expect(thirdStep == .ready)
    let isLast = (0..<4).map { _ in table.removeSubscription(first) }
    #expect(isLast == [false, false, true, false])
    #expect(table.count == 0)
  }

  @Test("a rule that the bus refuses is removed")
  func refused() {
    var table = MatchTable<Int>()
    let (first, _) = table.addSubscription(to: "r", 1)
    let waiters = table.applyReply(to: first, isAccepted: false)
    #expect(waiters == [1])
    let isLast = table.removeSubscription(first)
    #expect(!isLast)
    let (_, step) = table.addSubscription(to: "r", 2)
    #expect(step == .add)
  }

  @Test("a reply to an earlier request does not complete a later one")
  func generations() {
    var table = MatchTable<Int>()
    let (first, _) = table.addSubscription(to: "r", 1)
    let wasLast = table.removeSubscription(first)
    let (second, step) = table.addSubscription(to: "r", 2)
    let early = table.applyReply(to: first, isAccepted: true)
    let isLast = table.removeSubscription(first)
    let answered = table.applyReply(to: second, isAccepted: true)
    #expect([wasLast, isLast] == [true, false])
    #expect(step == .add)
    #expect([early, answered] == [[], [2]])
  }
}

@Suite("Bus address")
struct BusAddressTests {
  @Test("the environment variable overrides the address in the specification")
  func resolved() throws {
    let set = [
      "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/s", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/u",
    ]
    #expect(try BusAddress.system.resolved { set[$0] } == "unix:path=/s")
    #expect(try BusAddress.session.resolved { set[$0] } == "unix:path=/u")
    #expect(
      try BusAddress.system.resolved { _ in "" } == "unix:path=/var/run/dbus/system_bus_socket"
    )
    let folder = ["XDG_RUNTIME_DIR": "/run/user 1"]
    #expect(try BusAddress.session.resolved { folder[$0] } == "unix:path=/run/user%201/bus")
    #expect(throws: BusFailure.self) { try BusAddress.session.resolved { _ in nil } }
    #expect(try BusAddress.given("x").resolved { _ in nil } == "x")
  }
}
