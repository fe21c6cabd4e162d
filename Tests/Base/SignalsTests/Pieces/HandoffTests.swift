// Values handed over one at a time: which side waits, and what happens when one side stops.

import Fixtures
import Testing

@testable import Signals

@Suite("A hand-over")
struct HandoffTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  @Test("a producer waits until its value has been handled")
  func backPressure() throws {
    let handoff = Handoff<Int?>(on: loop)
    _ = loop.task { [notes] in
      for value in 1...2 {
        try await handoff.send(value)
        notes.add("sent \(value)")
      }
      handoff.post(nil)
    }
    try loop.run { [loop, notes] in
      while case (let value?, let taken) = try await handoff.next() {
        notes.add("took \(value)")
        try await loop.sleep(for: .seconds(1))
        notes.add("dealt with \(value)")
        taken.succeed(())
      }
    }
    drain(loop)
    #expect(notes.all == ["took 1", "dealt with 1", "sent 1", "took 2", "dealt with 2", "sent 2"])
  }

  @Test("offers are taken in order, including those without a waiting producer")
  func order() throws {
    let handoff = Handoff<Int>(on: loop)
    for value in 1...3 {
      _ = loop.task {
        try await handoff.send(value)
      }
    }
    loop.after(.seconds(1)) { handoff.post(4) }
    try loop.run { [loop, notes] in
      try await loop.sleep(for: .seconds(2))
      for _ in 1...4 {
        let (value, taken) = try await handoff.next()
        notes.add("\(value)")
        taken.succeed(())
      }
    }
    drain(loop)
    #expect(notes.all == ["1", "2", "3", "4"])
  }

  @Test("when the consumer stops, waiting offers fail, and later offers fail at once")
  func closed() throws {
    let handoff = Handoff<Int>(on: loop)
    let waiting = loop.task { try await handoff.send(1) }
    try loop.run { [loop] in
      try await loop.sleep(for: .seconds(1))
      handoff.close()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      await #expect(throws: CancellationError.self) { try await handoff.send(2) }
    }
    drain(loop)
    #expect(loop.now == .start + .seconds(1))
  }

  @Test("a value that arrives as its taker is cancelled waits for the next taker")
  func cancelledTaker() throws {
    let handoff = Handoff<Int>(on: loop)
    let taker = loop.task { try await handoff.next() }
    let sender = Guarded<Task<Void, any Error>?>(nil)
    loop.after(.seconds(1)) { [loop] in
      taker.cancel()
      sender.withLock { $0 = loop.task { try await handoff.send(7) } }
    }
    try loop.run { [loop, notes] in
      try await loop.sleep(for: .seconds(2))
      let (value, taken) = try await handoff.next()
      notes.add("\(value)")
      taken.succeed(())
    }
    drain(loop)
    #expect(notes.all == ["7"])
  }
}
