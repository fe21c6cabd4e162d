// Waiting for a state.

import Testing

@testable import Signals

@Suite("Awaited state")
struct AwaitedTests {
  private struct Refused: Error, Equatable {}

  private let loop = VirtualTimeLoop()
  private let state = Awaited(0)

  /// Waits until the state is at least 2; a negative state throws.
  private func wait(limit: Duration? = nil) -> Task<String, any Error> {
    loop.task { [state, loop] in
      try await state.until("two", on: loop, limit: limit) { value in
        if value < 0 { throw Refused() }
        return value >= 2 ? "\(value)" : nil
      }
    }
  }

  @Test("a wait checks the state at once, and after each announced change")
  func looks() throws {
    let values = try loop.run { [state, loop] in
      let first = wait()
      try await loop.sleep(for: .seconds(1))
      state.change { $0 = 1 }
      state.withLock { $0 = 2 }
      state.withLock { $0 = 3 }
      state.announce()
      return [try await first.value, try await wait().value]
    }
    #expect(values == ["3", "3"])
    #expect(!state.isAwaited)
    loop.end()
  }

  @Test(
    "a wait ends with its outcome's error, its time limit or its task, and is then unregistered"
  )
  func ends() throws {
    try loop.run { [state, loop] in
      let (late, cancelled, refused) = (wait(limit: .seconds(1)), wait(), wait())
      try await loop.sleep(for: .seconds(2))
      cancelled.cancel()
      state.change { $0 = -1 }
      await #expect(throws: TimedOut.self) { try await late.value }
      await #expect(throws: CancellationError.self) { try await cancelled.value }
      await #expect(throws: Refused.self) { try await refused.value }
    }
    #expect(!state.isAwaited)
    loop.end()
  }

  @Test("an uninterrupted wait goes on in a cancelled task, until the state is as needed")
  func uninterrupted() throws {
    let value = try loop.run { [state, loop] in
      let waiting = loop.task { await state.uninterrupted { $0 >= 2 ? $0 : nil } }
      try await loop.sleep(for: .seconds(1))
      waiting.cancel()
      try await loop.sleep(for: .seconds(1))
      #expect(state.isAwaited)
      state.change { $0 = 2 }
      return try await waiting.value
    }
    #expect(value == 2)
    #expect(!state.isAwaited)
    loop.end()
  }
}
