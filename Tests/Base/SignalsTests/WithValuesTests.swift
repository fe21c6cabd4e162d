// A loop over values inside withValues has ended, clean-up included, when withValues returns.

import Fixtures
import Signals
import Testing

@Suite("Values for the time of a closure")
struct WithValuesTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()
  let scheduler: SerialScheduler

  init() { scheduler = SerialScheduler(on: loop, name: "lamps") }

  /// Ticks every second, to end takes two seconds.
  private var values: Signal<Int> {
    Signal.operation(of: scheduler, "ticking") { [notes, loop] sink in
      try await ticks(9, every: .seconds(1)).finally { [notes, loop] in
        try await loop.sleep(for: .seconds(2))
        notes.add("cleaned up at \(loop.now.sinceStart / .seconds(1))")
      }.run { try await sink($0) }
    }
  }

  /// A signal with a home, and one without, which acquires the turn when it reaches the operation.
  private func signal(hasHome: Bool) -> Signal<Int> {
    hasHome ? values : Signal.just(0).flattenMap { [self] _ in values }
  }

  @Test("a loop that is left has ended before the next statement", arguments: [true, false])
  func left(hasHome: Bool) throws {
    let signal = signal(hasHome: hasHome)
    let last = try loop.run { [notes] in
      let last = try await signal.withValues { values in
        for try await value in values where value == 2 { return value }
        return 0
      }
      notes.add("returned")
      return last
    }
    #expect(last == 2)
    #expect(notes.all == ["cleaned up at 4.0", "returned"])
    #expect(scheduler.isIdle)
    drain(loop)
  }

  @Test("an error, a deadline and a cancellation are thrown after the clean-up")
  func thrown() throws {
    let signal = signal(hasHome: true)
    try loop.run { [notes, loop] in
      await #expect(throws: Broken.self) {
        try await signal.withValues { values in for try await _ in values { throw Broken() } }
      }
      notes.add("broken")
      let error = await #expect(throws: TimedOut.self) {
        try await signal.withValues(within: .milliseconds(1500)) { values in
          for try await _ in values {}
        }
      }
      #expect(error?.limitOf == "withValues")
      notes.add("late")
      let task = loop.task { try await signal.withValues { try await $0.first { $0 == 9 } } }
      try await loop.sleep(for: .milliseconds(1500))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      notes.add("cancelled")
    }
    #expect(
      notes.all == [
        "cleaned up at 3.0", "broken", "cleaned up at 6.5", "late", "cleaned up at 10.0",
        "cancelled",
      ]
    )
    drain(loop)
  }

  @Test("operations of the closure belong to its turn, and need not wait for it")
  func operations() throws {
    let signal = signal(hasHome: true)
    let read = Signal<Int>.operation(of: scheduler, "reading") { try await $0(7) }
    let sum = try loop.run {
      try await signal.withValues(within: .seconds(20)) { values in
        var sum = 0
        for try await value in values.prefix(2) { sum += try await value * read.first() }
        return sum
      }
    }
    #expect(sum == 21)
    drain(loop)
  }

  @Test("inside a turn, the loop has ended before the turn goes on")
  func inTurn() throws {
    let signal = signal(hasHome: true)
    try loop.run { [notes, scheduler] in
      try await scheduler.turn {
        try await signal.withValues { for try await _ in $0 { break } }
        notes.add("returned")
      }
    }
    #expect(notes.all == ["cleaned up at 3.0", "returned"])
    drain(loop)
  }

  @Test("a failed clean-up is thrown, with the error of the closure as its cause")
  func failed() throws {
    let signal = ticks(2, every: .seconds(1)).finally { throw Broken() }
    let error = try loop.run {
      await #expect(throws: FailedWithCleanUp.self) {
        try await signal.withValues { for try await _ in $0 { break } }
      }
    }
    #expect(error?.cause == nil)
    #expect(error?.cleanUp.first?.error is Broken)
    drain(loop)
  }

  @Test("a loop over values whose task is cancelled ends after the clean-up")
  func cancelledLoop() throws {
    let signal = signal(hasHome: true)
    try loop.run { [notes, loop] in
      let task = loop.task {
        defer { notes.add("ended") }
        for try await _ in signal.values {}
      }
      try await loop.sleep(for: .milliseconds(1500))
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(notes.all == ["cleaned up at 3.5", "ended"])
    #expect(scheduler.isIdle)
    drain(loop)
  }

  @Test("the holder that values began is named with its place in the source")
  func place() throws {
    let signal = signal(hasHome: true)
    let holders = try loop.run { [loop] in
      var holders: [String?] = []
      let ways: [@Sendable () async throws -> Void] = [
        { for try await _ in signal.values() {} },
        { try await signal.withValues { for try await _ in $0 {} } },
      ]
      for way in ways {
        let task = loop.task { try await way() }
        try await loop.sleep(for: .seconds(1))
        do {
          _ = try await signal.first(within: .seconds(1))
        } catch {
          let error = error as? TimedOut
          #expect(error?.limitOf == "first")
          holders.append(error?.holder?.turn)
        }
        task.cancel()
        _ = await task.result
      }
      return holders
    }
    #expect(holders.count == 2)
    #expect(holders[0]?.hasPrefix("values at SignalsTests/WithValuesTests.swift:") == true)
    #expect(holders[1]?.hasPrefix("withValues at SignalsTests/WithValuesTests.swift:") == true)
    drain(loop)
  }
}
