// Each turn sees the task-local values of its caller.

import Fixtures
import Signals
import Testing

@Suite("Task-local values of turns")
struct TaskLocalTests {
  enum Local {
    @TaskLocal static var name = "nobody"
  }

  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  @Test("Task-local values are the caller's")
  func queued() throws {
    let scheduler = SerialScheduler(on: loop)
    for name in ["a", "b", "c"] {
      Local.$name.withValue(name) {
        _ = loop.task { [loop, notes] in
          try await scheduler.turn {
            notes.add("turn \(Local.name)")
            try await loop.sleep(for: .seconds(1))
          }
          _ = try await Signal.lazily(on: scheduler) { notes.add("first \(Local.name)") }.first()
          let values = Signal.lazily(on: scheduler) { notes.add("values \(Local.name)") }.values
          for try await _ in values {}
        }
      }
    }
    drain(loop)
    #expect(Set(notes.all).count == 9 && notes.all.count == 9, "\(notes.all)")
    #expect(notes.all.prefix(3) == ["turn a", "turn b", "turn c"])
  }

  @Test("a blocking call that waited for another turn sees its own task-local values")
  func blocking() throws {
    let scheduler = SerialScheduler(on: loop)
    let entered = Guarded(false)
    Local.$name.withValue("first") {
      _ = loop.task { [loop] in
        try await scheduler.turn {
          entered.withLock { $0 = true }
          try await loop.sleep(for: .seconds(1))
        }
      }
    }
    try loop.drive { entered.withLock { $0 } }
    let name = Local.$name.withValue("second") {
      Signal.lazily(on: scheduler) { Local.name }.firstOrDefault("", within: .seconds(5)).value
    }
    #expect(name == "second")
  }

  @Test("a scheduled block sees its own task-local values, whichever thread drives the loop")
  func scheduled() throws {
    let scheduler = SerialScheduler(on: loop)
    let turns = ["a", "b"].map { name in
      Local.$name.withValue(name) {
        scheduler.schedule { [notes] in
          let inside = Signal.lazily(on: scheduler) { Local.name }
          notes.add("\(Local.name) \(inside.firstOrDefault("", within: .seconds(1)).value)")
        }
      }
    }
    let plain = scheduler.schedule { [notes] in notes.add(Local.name) }
    try Local.$name.withValue("driver") {
      for turn in turns { try turn.wait() }
      try plain.wait()
    }
    #expect(notes.all == ["a a", "b b", "nobody"])
  }

  @Test("scheduled blocks see their task-local values even when no thread blocks")
  func background() async throws {
    let scheduler = SerialScheduler(on: EventLoop())
    let done = Mailbox<String>(bound: 2)
    for name in ["a", "b"] {
      Local.$name.withValue(name) { _ = scheduler.schedule { done.send(Local.name) } }
    }
    #expect(try await done.next(on: scheduler.loop) == "a")
    #expect(try await done.next(on: scheduler.loop) == "b")
  }

  @Test("work that never started is freed")
  func freed() throws {
    final class Kept: Sendable {}
    let scheduler = SerialScheduler(on: loop)
    let entered = Guarded(false)
    let running = loop.task { [loop] in
      try await scheduler.turn {
        entered.withLock { $0 = true }
        try await loop.sleep(for: .seconds(3600))
      }
    }
    try loop.drive { entered.withLock { $0 } }
    weak var block: Kept?
    weak var work: Kept?
    try {
      let (kept, needed) = (Kept(), Kept())
      (block, work) = (kept, needed)
      scheduler.schedule { _ = kept }.cancel()
      let outcome = Signal.lazily(on: scheduler) { _ = needed }.firstOrDefault((), within: .zero)
      try #require(outcome.error is TimedOut)
    }()
    running.cancel()
    drain(loop)
    #expect(block == nil)
    #expect(work == nil)
    #expect(scheduler.isIdle)
  }
}
