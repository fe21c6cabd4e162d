// Subscriptions that resume, in orders of messages that are rare.

import BlueZInterfaces
import Bluetooth
import DBus
import Fixtures
import Signals
import Testing

@testable import BlueZ

@Suite("Resuming subscriptions")
struct ResumingTests {
  private static let resuming = SubscriptionOptions(onLinkLoss: .resume)
  let bench: Bench
  let level: CharacteristicSelector

  init() throws {
    bench = try Bench()
    level = try CharacteristicSelector(parsing: "2a19")
  }

  private var bluez: ScriptedBlueZ { bench.bluez }

  /// Answers each StartNotify with its number, from 1; nil: the call is not answered.
  private func started(_ answer: @escaping @Sendable (ScriptedBlueZ, Int, Invocation) -> Void) {
    let number = Guarded(0)
    bluez.script("StartNotify") { bluez, call in
      let present = number.withLock { number in
        number += 1
        return number
      }
      answer(bluez, present, call)
    }
  }

  /// The events of a stream: the first byte of each value, "gap" for each gap.
  private func story(_ events: [NotificationEvent]) -> [String] {
    events.map { $0.notification.map { "\($0.value[0])" } ?? "gap" }
  }

  private func events(
    _ options: SubscriptionOptions = resuming, for duration: Duration
  ) throws -> (events: [NotificationEvent], error: (any Error)?) {
    let service = try bench.service()
    let seen = Recorded<NotificationEvent>()
    let level = level
    let outcome = service.session {
      service.subscribe(level, options).flattenMap { $0.map { seen.add($0) }.collect() }
    }
    .map { _ in () }
    .firstOrDefault((), within: duration)
    return (seen.all, outcome.error)
  }

  @Test("a connection that drops right after the resuming StartNotify replies is resumed again")
  func dropsBehindReply() throws {
    let loop = bench.loop
    started { bluez, number, call in
      call.reply()
      if number == 2 { return bluez.linkLost() }
      loop.after(.seconds(1)) { bluez.notify([UInt8(number)]) }
      if number == 1 { loop.after(.seconds(2)) { bluez.linkLost() } }
    }
    let (events, _) = try events(for: .seconds(30))
    // Two, as there was a subscription between them, for no time at all.
    #expect(story(events) == ["1", "gap", "gap", "3"])
    #expect(bluez.calls.count { $0 == "Connect" } == 3)
  }

  @Test("an unanswered resuming StartNotify is followed by StopNotify, and its gap is reported")
  func unanswered() throws {
    let loop = bench.loop
    started { bluez, number, call in
      guard number == 1 else { return }
      call.reply()
      loop.after(.seconds(1)) { bluez.notify([1]) }
      loop.after(.seconds(2)) { bluez.linkLost() }
    }
    let (events, error) = try events(for: .seconds(20))
    #expect(error != nil)
    #expect(story(events) == ["1", "gap"])
    guard case .gap(let gap)? = events.last else { return }
    #expect(gap.lasted > .seconds(10))
    #expect(bluez.calls.contains("StopNotify"))
  }

  @Test(
    "a call to begin that is never answered is forgotten when its connection has ended",
    arguments: SubscriptionOptions.Delivery.allCases
  )
  func forgotten(delivery: SubscriptionOptions.Delivery) throws {
    let loop = bench.loop
    for call in ["StartNotify", "AcquireNotify"] {
      bluez.script(call) { bluez, _ in _ = loop.after(.seconds(1)) { bluez.linkLost() } }
    }
    let (_, error) = try events(SubscriptionOptions(delivery: delivery), for: .seconds(20))
    #expect(error != nil)
    bench.drain()
    #expect(bench.ours.unansweredCalls == 0)
  }

  @Test("a late reply tells the subscriber that its call has failed, while a later call is pending")
  func overlapping() throws {
    let loop = bench.loop
    let service = try bench.service()
    let other = BlueZDevice(
      client: service.client, target: service.target, scheduler: SerialScheduler(on: loop)
    )
    let level = level
    started { bluez, number, call in
      guard number == 1 else {
        return _ = loop.after(.seconds(1)) {
          call.reply()
          bluez.notify([1])
        }
      }
      loop.after(.seconds(1)) {
        bluez.linkLost()
        _ = loop.task {
          try? await other.session { other.notifications(level) }.first(within: .seconds(10))
        }
      }
      loop.after(.milliseconds(1400)) { call.fail(ErrorAnswer.notPaired.dbusError) }
    }
    let failure = try bench.failure(service.session { service.notifications(level) })
    #expect(failure.code == .notPaired)
    #expect(bluez.calls.count { $0 == "StartNotify" } == 2)
    bench.drain()
  }

  @Test("an unanswered first StartNotify is followed by StopNotify")
  func firstUnanswered() throws {
    bluez.script("StartNotify", nil)
    let (_, error) = try events(for: .seconds(5))
    #expect(error != nil)
    #expect(bluez.calls.contains("StopNotify"))
  }

  @Test("delays grow until a value arrives, even if the connection succeeds each time")
  func pauses() throws {
    let loop = bench.loop
    let falls = Guarded(true)
    started { bluez, number, call in
      call.reply()
      guard falls.withLock({ $0 }) else {
        return _ = loop.after(.seconds(1)) { bluez.notify([UInt8(number)]) }
      }
      loop.after(.milliseconds(30)) { bluez.linkLost() }
    }
    loop.after(.seconds(60)) { falls.withLock { $0 = false } }
    let (events, _) = try events(for: .seconds(80))
    // 0, 250 ms, 500 ms, 1 s, 2 s, 4 s, then each 5 s.
    let connects = bluez.calls.count { $0 == "Connect" }
    #expect((10...20).contains(connects), "\(connects)")
    #expect(story(events).last == "\(connects)")
  }

  @Test("two subscribers resume together, and both are told of the next loss")
  func together() throws {
    let loop = bench.loop
    started { bluez, number, call in
      call.reply()
      for second in 1...2 {
        loop.after(.milliseconds(200 * second)) { bluez.notify([UInt8(10 * number + second)]) }
      }
      if number < 3 { loop.after(.milliseconds(600)) { bluez.linkLost() } }
    }
    let service = try bench.service()
    let seen = Recorded<NotificationEvent>()
    let slow = Recorded<NotificationEvent>()
    let level = level
    _ = service.session {
      service.subscribe(level, Self.resuming).flattenMap { first in
        service.subscribe(level, Self.resuming).flattenMap { second in
          let late = Signal<Void> { sink in
            try await loop.sleep(for: .seconds(5))
            try await sink(())
          }
          let both = [
            first.map { seen.add($0) },
            late.flattenMap { second.map { slow.add($0) } },
          ]
          return Signal.merge(both).collect()
        }
      }
    }
    .map { _ in () }
    .firstOrDefault((), within: .seconds(20))
    let told = ["11", "12", "gap", "21", "22", "gap", "31", "32"]
    #expect(story(seen.all) == told)
    #expect(story(slow.all) == told)
    // A gap ends before the values behind it, however late it is taken.
    for (gap, value) in zip(slow.all, slow.all.dropFirst()) {
      guard case .gap(let gap) = gap, let value = value.notification else { continue }
      #expect(gap.to <= value.at)
    }
    #expect(bluez.calls.count { $0 == "StartNotify" } == 3)
  }

  @Test("our own disconnect ends a subscription that waits to resume")
  func ownDisconnect() throws {
    let loop = bench.loop
    started { bluez, _, call in
      call.reply()
      loop.after(.seconds(1)) {
        bluez.script("Connect", nil)
        bluez.linkLost()
      }
    }
    let service = try bench.service()
    let level = level
    let failure = try bench.failure(
      service.session {
        service.subscribe(level, Self.resuming).flattenMap { events in
          let ending = Signal<Void> { sink in
            try await loop.sleep(for: .seconds(3))
            try await sink(())
          }
          .flattenMap { service.disconnect() }
          return Signal.merge([events.map { _ in () }, ending]).collect()
        }
      },
      within: .seconds(100)
    )
    #expect(failure.code == .notConnected)
    #expect(bluez.calls.count { $0 == "Connect" } == 2)
    #expect(loop.now.sinceStart < .seconds(30))
  }

  @Test(
    "a value held during a read is delivered before the loss, unless the reply makes it an echo",
    arguments: [(false, ["7"]), (true, [])]
  )
  func heldValue(isAnswered: Bool, expected: [String]) throws {
    let loop = bench.loop
    bluez.script("ReadValue") { bluez, call in
      bluez.notify([7])
      if isAnswered { call.reply([.bytes([7])]) }
      bluez.linkLost()
    }
    let service = try bench.service()
    let seen = Recorded<NotificationEvent>()
    let level = level
    _ = service.session {
      service.subscribe(level, SubscriptionOptions()).flattenMap { events in
        let reading = Signal<Void> { _ in
          try await loop.sleep(for: .seconds(1))
          try? await service.read(level).run { _ in }
        }
        return Signal.merge([events.map { seen.add($0) }, reading]).collect()
      }
    }
    .map { _ in () }
    .firstOrDefault((), within: .seconds(20))
    #expect(story(seen.all) == expected)
  }

  @Test("a characteristic that is replaced while a value is held for a read is subscribed again")
  func replacedWhileHeld() throws {
    let loop = bench.loop
    started { bluez, number, call in
      call.reply()
      if number == 2 { loop.after(.seconds(1)) { bluez.notify([8]) } }
    }
    bluez.script("ReadValue") { bluez, _ in
      bluez.notify([7])
      bluez.levelReplaced()
    }
    let service = try bench.service()
    let seen = Recorded<NotificationEvent>()
    let level = level
    _ = service.session {
      service.subscribe(level, Self.resuming).flattenMap { events in
        let reading = Signal<Void> { _ in
          try await loop.sleep(for: .seconds(1))
          try? await service.read(level).run { _ in }
        }
        return Signal.merge([events.map { seen.add($0) }, reading]).collect()
      }
    }
    .map { _ in () }
    .firstOrDefault((), within: .seconds(20))
    #expect(story(seen.all) == ["7", "gap", "8"])
    #expect(bluez.calls.count { $0 == "StartNotify" } == 2)
  }

  @Test("a read that is cancelled before it is sent delays no values")
  func unsentRead() throws {
    let service = try bench.service()
    let (loop, level) = (bench.loop, level)
    let operations = try #require(service.operations as? BlueZOperations)
    let pending = Guarded<Bool?>(nil)
    _ = service.session {
      Signal<Void> { sink in
        let channel = try operations.channel(level)
        let task = loop.task {
          withUnsafeCurrentTask { $0?.cancel() }
          _ = try await channel.read()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        pending.withLock { $0 = channel.subscription.holdsValues }
        try await sink(())
      }
    }
    .firstOrDefault((), within: .seconds(20))
    #expect(pending.withLock { $0 } == false)
  }

  @Test("a session whose subscription has resumed ends its connection, and not only its turn")
  func sessionEnds() throws {
    let (loop, bluez) = (bench.loop, bluez)
    started { bluez, number, call in
      call.reply()
      loop.after(.seconds(1)) { bluez.notify([UInt8(number)]) }
      if number < 3 { loop.after(.seconds(2)) { bluez.linkLost() } }
    }
    let service = try bench.service()
    let level = level
    let session = service.session {
      service.subscribe(level, Self.resuming).flattenMap { $0.take(5).collect() }
    }
    // In the same turn.
    let isUp = session.collect().map { _ in bluez.isConnected }
    #expect(try bench.first(isUp) == false)
    #expect(bluez.calls.suffix(2) == ["StopNotify", "Disconnect"])
  }

  @Test("a subscriber that joined a subscription by signals resumes by signals")
  func joinedSignals() throws {
    let loop = bench.loop
    started { bluez, number, call in
      call.reply()
      loop.after(.seconds(1)) { bluez.notify([UInt8(number)]) }
      if number == 1 { loop.after(.seconds(2)) { bluez.linkLost() } }
    }
    let service = try bench.service()
    let seen = Recorded<NotificationEvent>()
    let level = level
    let acquiring = SubscriptionOptions(delivery: .acquire, onLinkLoss: .resume)
    _ = service.session {
      service.subscribe(level, Self.resuming).flattenMap { _ in
        service.subscribe(level, acquiring).flattenMap { $0.map { seen.add($0) }.collect() }
      }
    }
    .map { _ in () }
    .firstOrDefault((), within: .seconds(20))
    #expect(story(seen.all) == ["1", "gap", "2"])
    #expect(bluez.calls.count { $0 == "StartNotify" } == 2)
    #expect(!bluez.calls.contains("AcquireNotify"))
  }
}
