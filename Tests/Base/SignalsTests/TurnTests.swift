// Turns: order, ownership and release.

import Fixtures
import Signals
import Testing

@Suite("Turns")
struct TurnTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  @Test("Turns do not overlap")
  func noOverlap() throws {
    let scheduler = SerialScheduler(on: loop)
    let turns = (1...5).map { number in
      loop.task { [loop, notes] in
        try await scheduler.turn {
          notes.add("begin \(number)")
          _ = Turn.current?.registerRelease(of: "link \(number)") {
            try await loop.sleep(for: .seconds(1))
            notes.add("end \(number)")
          }
          try await loop.sleep(for: .seconds(1))
        }
      }
    }
    try loop.drive { notes.all.count == 10 }
    drain(loop)
    _ = turns
    #expect(notes.all == (1...5).flatMap { ["begin \($0)", "end \($0)"] })
    #expect(loop.now == .start + .seconds(10))
  }

  @Test("A turn is always given back")
  func givenBack() throws {
    let scheduler = SerialScheduler(on: loop)
    let first = loop.task { [loop] in
      try await scheduler.turn { try await loop.sleep(for: .seconds(10)) }
    }
    let second = loop.task { [notes] in
      try await scheduler.turn { notes.add("must not begin") }
    }
    loop.after(.seconds(1)) { second.cancel() }
    loop.after(.seconds(2)) { first.cancel() }
    let third = loop.task { [notes] in try await scheduler.turn { notes.add("third") } }
    try loop.drive { notes.all == ["third"] }
    _ = third
    #expect(loop.now == .start + .seconds(2))
    drain(loop)
    #expect(scheduler.isIdle)
  }

  @Test("A turn owns its links", arguments: ["value", "failure", "deadline", "cancellation"])
  func ownsLinks(ending: String) throws {
    let scheduler = SerialScheduler(on: loop)
    let chain = Signal<Int>(home: scheduler) { [notes, loop] sink in
      for name in ["a", "b"] {
        _ = Turn.current?.registerRelease(of: name) {
          try await loop.sleep(for: .seconds(1))
          notes.add("released \(name)")
        }
      }
      if let kept = Turn.current?.registerRelease(
        of: "kept", release: { notes.add("released kept") })
      {
        Turn.current?.cancelRelease(kept)
      }
      switch ending {
      case "value": try await sink(1)
      case "failure": throw Broken()
      default: try await loop.sleep(for: .seconds(3600))
      }
    }
    if ending == "cancellation" {
      loop.after(.seconds(1)) { scheduler.cancelAll(OtherBroken()) }
    }
    let outcome = chain.firstOrDefault(0, within: .seconds(30))
    #expect(notes.all == ["released b", "released a"])
    switch ending {
    case "value": #expect(outcome.success)
    case "failure": #expect(outcome.error is Broken)
    case "deadline": #expect(outcome.error is TimedOut)
    default: #expect(outcome.error is OtherBroken)
    }
    #expect(scheduler.isIdle)
    drain(loop)
  }

  @Test("the links of a schedule block are released when the block ends")
  func blockOwnsLinks() throws {
    let scheduler = SerialScheduler(on: loop)
    let connect = Signal<Int>(home: scheduler) { [notes] sink in
      _ = Turn.current?.registerRelease(of: "link") { notes.add("released") }
      try await sink(1)
    }
    let turn = scheduler.schedule { [notes] in
      _ = connect.firstOrDefault(0, within: .seconds(1))
      notes.add("still connected")
    }
    try turn.wait()
    #expect(notes.all == ["still connected", "released"])
  }

  @Test("a release has its own time limit, and exceeding it is reported")
  func releaseLimit() {
    let scheduler = SerialScheduler(on: loop, cleanUpLimit: .seconds(3))
    let chain = Signal<Int>(home: scheduler) { [loop] sink in
      _ = Turn.current?.registerRelease(of: "the link") {
        try await loop.sleep(for: .seconds(3600))
      }
      try await sink(1)
    }
    let outcome = chain.firstOrDefault(0, within: .seconds(1))
    #expect(!outcome.success)
    let failure = outcome.error as? FailedWithCleanUp
    #expect(failure?.cause == nil)
    #expect(failure?.cleanUp.map(\.what) == ["the link"])
    #expect(loop.now == .start + .seconds(3))
  }

  @Test("a turn inside a turn belongs to the outer turn")
  func nested() throws {
    let scheduler = SerialScheduler(on: loop)
    let value = try loop.run {
      try await scheduler.turn { try await scheduler.turn { try await Signal.just(4).first() } }
    }
    drain(loop)
    #expect(value == 4)
  }

  @Test("Blocking inside the loop fails at once")
  func blocking() throws {
    let scheduler = SerialScheduler(on: loop)
    try scheduler.schedule { [notes] in
      do { try scheduler.waitUntilIdle() } catch { notes.add("\(type(of: error))") }
    }.wait()
    #expect(notes.all == ["BlockedInsideLoop"])
  }

  @Test("shutting down fails waiting callers and rejects new ones")
  func shutDown() throws {
    let scheduler = SerialScheduler(on: loop)
    let waiting = loop.task { [loop, notes] in
      do {
        try await scheduler.turn { try await loop.sleep(for: .seconds(3600)) }
      } catch {
        notes.add("\(error)")
      }
    }
    loop.after(.seconds(1)) { scheduler.shutDown() }
    try loop.drive { !notes.all.isEmpty }
    drain(loop)
    _ = waiting
    #expect(notes.all == ["the loop was shut down"])
    #expect(
      Signal.just(1).on(scheduler).firstOrDefault(0, within: .seconds(1)).error is LoopShutDown
    )
  }

  @Test("turns started from eight threads never overlap")
  func eightThreads() async throws {
    let scheduler = SerialScheduler(on: EventLoop())
    let inside = Guarded(0)
    let overlaps = Guarded(0)
    let ran = Guarded(0)
    let chain = Signal<Int>(home: scheduler) { sink in
      let depth = inside.withLock { depth in
        depth += 1
        return depth
      }
      if depth != 1 { overlaps.withLock { $0 += 1 } }
      _ = Turn.current?.registerRelease(of: "link") { inside.withLock { $0 -= 1 } }
      await Task.yield()
      ran.withLock { $0 += 1 }
      try await sink(depth)
    }
    await withTaskGroup { group in
      for thread in 0..<8 {
        group.addTask {
          for round in 0..<125 {
            if (thread + round) % 3 == 0 {
              _ = try? await chain.first(within: .seconds(60))
            } else {
              _ = chain.firstOrDefault(0, within: .seconds(60))
            }
          }
        }
      }
    }
    #expect(ran.withLock { $0 } == 1000)
    #expect(overlaps.withLock { $0 } == 0)
  }
}
