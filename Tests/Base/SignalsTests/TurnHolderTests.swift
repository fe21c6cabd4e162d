// A timeout names the operation, the limit's owner, and the holder of the awaited turn.

import Fixtures
import Signals
import Testing

@Suite("The holder of the turn")
struct TurnHolderTests {
  let loop = VirtualTimeLoop()

  /// A turn that has begun, and holds the scheduler for an hour.
  private func occupied(_ label: String? = nil) throws -> SerialScheduler {
    let scheduler = SerialScheduler(on: loop, name: "lamps")
    let entered = Guarded(false)
    _ = loop.task { [loop] in
      try await scheduler.turn(named: label) {
        entered.withLock { $0 = true }
        try await loop.sleep(for: .seconds(3600))
      }
    }
    try loop.drive { entered.withLock { $0 } }
    try loop.run { [loop] in try await loop.sleep(for: .seconds(5)) }
    return scheduler
  }

  private let update = TurnHolder(scheduler: "lamps", turn: "update", held: .seconds(15))

  @Test(
    "a blocking call that times out waiting for a turn names the holder and how long it has held it"
  )
  func blocking() throws {
    let scheduler = try occupied("update")
    let outcome = Signal.lazily(on: scheduler) { 1 }.firstOrDefault(0, within: .seconds(10))
    let expected = TimedOut(
      operation: "firstOrDefault", after: .seconds(10), limitOf: "firstOrDefault", holder: update
    )
    #expect(outcome.error as? TimedOut == expected)
    #expect(
      "\(expected)" == "firstOrDefault did not end within 10.0 seconds: 'update' has had the turn "
        + "of 'lamps' for 15.0 seconds"
    )
  }

  @Test("an async call that times out waiting for a turn names the holder, whichever limit applies")
  func awaiting() throws {
    let scheduler = try occupied("update")
    let read = Signal.lazily(on: scheduler) { 1 }
    let errors = try loop.run { [loop] in
      let own = loop.task { try await read.first(within: .seconds(10)) }
      let turn = loop.task { try await scheduler.turn(within: .seconds(10)) { 1 } }
      let around = loop.task {
        let inner = Signal<Int> { sink in try await sink(try await read.first()) }
        return try await inner.timeout(.seconds(10), "the check").first()
      }
      let joined = loop.task {
        try await Signal.just(0).flattenMap { _ in read }.timeout(.seconds(10), "all").first()
      }
      var errors: [TimedOut?] = []
      for task in [own, turn, around, joined] {
        do {
          _ = try await task.value
          errors.append(nil)
        } catch {
          errors.append(error as? TimedOut)
        }
      }
      return errors
    }
    #expect(errors.map { $0?.holder } == [update, update, update, update])
    #expect(errors[2]?.limitOf == "the check" && errors[3]?.limitOf == "all")
  }

  @Test("a turn without a label is named after its call and source location")
  func place() throws {
    let scheduler = try occupied()
    let outcome = Signal.lazily(on: scheduler) { 1 }.firstOrDefault(0, within: .seconds(1))
    let holder = (outcome.error as? TimedOut)?.holder
    let call = "a turn of lamps at SignalsTests/TurnHolderTests.swift:"
    #expect(holder?.turn.hasPrefix(call) == true)
  }
}
