// The pure tables behind a connection.

import Testing

@testable import DBus

@Suite("Pending calls")
struct PendingCallsTests {
  @Test("a reply finds its caller once")
  func once() throws {
    var calls = PendingCalls<String>()
    let first = try calls.enter("a", lateReply: nil)
    let second = try calls.enter("b", lateReply: nil)
    #expect([first, second] == [1, 2])
    let taken = [calls.take(second), calls.take(second), calls.take(99)].map { $0?.waiter }
    #expect(taken == ["b", nil, nil])
    let rest = calls.takeAll().map(\.entry.waiter)
    #expect(rest == ["a"])
    #expect(calls.count == 0)
  }

  @Test("a caller who leaves is removed, unless it handles a late reply")
  func leaving() throws {
    var calls = PendingCalls<String>()
    let forgotten = try calls.enter("a", lateReply: nil)
    let kept = try calls.enter("b") { _ in }
    calls.leave(forgotten)
    calls.leave(kept)
    calls.leave(77)
    #expect(calls.count == 1)
    let entries = [calls.take(forgotten), calls.take(kept)]
    #expect(entries[0] == nil)
    #expect(entries[1] != nil)
    #expect(entries[1]?.waiter == nil)
    #expect(entries[1]?.lateReply != nil)
  }

  @Test("a full table accepts no more calls, counting those whose callers have left")
  func full() throws {
    var calls = PendingCalls<String>(limit: 2)
    let first = try calls.enter("a") { _ in }
    calls.leave(first)
    _ = try calls.enter("b", lateReply: nil)
    #expect(throws: BusFailure.callTableFull) { try calls.enter("c", lateReply: nil) }
    _ = calls.take(first)
    _ = try calls.enter("c", lateReply: nil)
    #expect(calls.count == 2)
  }

  @Test("serials wrap around past 0")
  func wrap() throws {
    var calls = PendingCalls<String>(lastSerial: .max - 1)
    let late = try calls.enter("a", lateReply: nil)
    let early = try calls.enter("b", lateReply: nil)
    #expect([late, early] == [.max, 1])
    let next = calls.nextSerial()
    #expect(next == 2)
  }

  @Test("the end of the bus reaches all callers, in the order of their calls")
  func end() throws {
    var calls = PendingCalls<Int>()
    for number in 1...100 { _ = try calls.enter(number, lateReply: nil) }
    let waiters = calls.takeAll().map(\.entry.waiter)
    #expect(waiters == Array(1...100))
  }
}

@Suite("Match table")
struct MatchTableTests {
  @Test("the bus is asked once, and all subscriptions wait for its reply")
  func once() {
    var table = MatchTable<Int>()
    let (first, step) = table.join("r", 1)
    let (second, secondStep) = table.join("r", 2)
    #expect([step, secondStep] == [.add, .wait])
    #expect(first == second)
    let waiters = table.answered(first, isTaken: true)
    #expect(waiters == [1, 2])
    let (_, thirdStep) = table.join("r", 3)
    #expect(thirdStep == .ready)
    let isLast = (0..<4).map { _ in table.leave(first) }
    #expect(isLast == [false, false, true, false])
    #expect(table.count == 0)
  }

  @Test("a refused rule is removed")
  func refused() {
    var table = MatchTable<Int>()
    let (first, _) = table.join("r", 1)
    let waiters = table.answered(first, isTaken: false)
    #expect(waiters == [1])
    let isLast = table.leave(first)
    #expect(!isLast)
    let (_, step) = table.join("r", 2)
    #expect(step == .add)
  }

  @Test("a reply to an earlier request does not settle a later one")
  func generations() {
    var table = MatchTable<Int>()
    let (first, _) = table.join("r", 1)
    let wasLast = table.leave(first)
    let (second, step) = table.join("r", 2)
    let early = table.answered(first, isTaken: true)
    let isLast = table.leave(first)
    let answered = table.answered(second, isTaken: true)
    #expect([wasLast, isLast] == [true, false])
    #expect(step == .add)
    #expect([early, answered] == [[], [2]])
  }
}

@Suite("Bus address")
struct BusAddressTests {
  @Test("the environment overrides the specification")
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
