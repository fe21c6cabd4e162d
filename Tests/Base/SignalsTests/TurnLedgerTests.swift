// A turn ends only after everything that began in it, awaited or not.

import Fixtures
import Testing

@testable import Signals

@Suite("The ledger of a turn")
struct TurnLedgerTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  /// An operation that enters a link and takes `time`.
  private func connect(
    _ name: String, of scheduler: SerialScheduler, for time: Duration = .seconds(2)
  ) -> Signal<String> {
    Signal.operation(of: scheduler, name) { [loop, notes] sink in
      notes.add("begin \(name)")
      defer { notes.add("end \(name)") }
      _ = Turn.current?.registerRelease(of: name) { notes.add("release \(name)") }
      try await loop.sleep(for: time)
      try await sink(name)
    }
  }

  /// Starts unawaited work in a task that inherits the current task-local values.
  private func forget(_ body: @escaping @Sendable () async throws -> Void) {
    _ = Task(executorPreference: loop) { [notes] in
      do {
        try await body()
        notes.add("done")
      } catch {
        notes.add("\(type(of: error))")
      }
    }
  }

  @Test("an operation of an unawaited task is cancelled and awaited when the turn ends")
  func running() throws {
    let scheduler = SerialScheduler(on: loop)
    try loop.run { [self] in
      try await scheduler.turn { [self] in
        forget { [self] in _ = try await connect("late", of: scheduler).first() }
        try await loop.sleep(for: .seconds(1))
      }
      notes.add("turn ended")
    }
    drain(loop)
    #expect(
      notes.all == ["begin late", "end late", "release late", "TurnEnded", "turn ended"]
        || notes.all == ["begin late", "end late", "TurnEnded", "release late", "turn ended"]
    )
    #expect(loop.now == .start + .seconds(1))
  }

  @Test("an operation that begins after its turn ended fails with TurnEnded, and starts no turn")
  func later() throws {
    let scheduler = SerialScheduler(on: loop, name: "devices")
    let failures = Guarded<[any Error]>([])
    try loop.run { [self] in
      try await scheduler.turn { [self] in
        let ways: [@Sendable () async throws -> Void] = [
          { [self] in _ = try await connect("first", of: scheduler).first() },
          { [self] in try await connect("run", of: scheduler).run { _ in } },
          { [self] in for try await _ in connect("values", of: scheduler).values {} },
          { try await scheduler.turn {} },
        ]
        for way in ways {
          forget { [loop] in
            try await loop.sleep(for: .seconds(1))
            do {
              #expect(Turn.current == nil)
              try await way()
            } catch {
              failures.withLock { $0.append(error) }
            }
          }
        }
      }
    }
    drain(loop)
    #expect(failures.withLock { $0.count } == 4)
    for failure in failures.withLock({ $0 }) {
      #expect((failure as? TurnEnded)?.scheduler == "devices")
    }
    #expect(!notes.all.contains { $0.hasPrefix("begin") })
    #expect(scheduler.isIdle)
  }

  @Test("a task that begins during a turn belongs to that turn")
  func belongs() throws {
    let scheduler = SerialScheduler(on: loop)
    try loop.run { [self] in
      try await scheduler.turn { [self] in
        forget { [self] in _ = try await connect("a", of: scheduler).first() }
        try await loop.sleep(for: .seconds(5))
      }
    }
    drain(loop)
    #expect(notes.all == ["begin a", "end a", "done", "release a"])
  }

  @Test("operations that a schedule block starts end with its turn")
  func scheduled() throws {
    let scheduler = SerialScheduler(on: loop)
    try scheduler.schedule { [self] in
      forget { [self] in _ = try await connect("late", of: scheduler).first() }
      _ = Signal.just(1).delay(.seconds(1)).firstOrDefault(0, within: .seconds(5))
      notes.add("block ended")
    }.wait()
    drain(loop)
    #expect(notes.all.prefix(3) == ["begin late", "block ended", "end late"])
    #expect(Set(notes.all.dropFirst(3)) == ["release late", "TurnEnded"])
    #expect(loop.now == .start + .seconds(1))
  }

  @Test(
    "operations that a clean-up starts but does not await are cancelled and awaited when it ends"
  )
  func inCleanUp() throws {
    let scheduler = SerialScheduler(on: loop)
    try loop.run { [self] in
      try await scheduler.turn { [self] in
        _ = Turn.current?.registerRelease(of: "the link") { [self] in
          forget { [self] in _ = try await connect("late", of: scheduler, for: .seconds(9)).first()
          }
          _ = try await connect("release", of: scheduler, for: .seconds(1)).first()
        }
      }
      notes.add("turn ended")
    }
    drain(loop)
    #expect(notes.all.prefix(2).sorted() == ["begin late", "begin release"])
    #expect(notes.all.dropFirst(2).prefix(2) == ["end release", "end late"])
    #expect(notes.all.last == "turn ended")
    #expect(loop.now == .start + .seconds(1))
  }

  @Test("a scheduled block that is cancelled while it waits ends and never runs")
  func cancelledWhileWaiting() throws {
    let scheduler = SerialScheduler(on: loop)
    let first = scheduler.schedule { [notes] in notes.add("first") }
    let second = scheduler.schedule { [notes] in notes.add("second") }
    second.cancel()
    #expect(second.isEnded)
    try first.wait()
    drain(loop)
    #expect(notes.all == ["first"])
    #expect(scheduler.isIdle)
  }

  @Test("observations and iterations that a turn starts end with it")
  func observations() throws {
    let scheduler = SerialScheduler(on: loop)
    let endless = Signal.interval(.milliseconds(300)).flattenMap { _ in Signal.just("tick") }
      .finally { [notes] in notes.add("cleaned") }
    try loop.run { [self] in
      try await scheduler.turn { [self] in
        endless.observe { [notes] event in
          if case .cancelled = event { notes.add("cancelled") }
        }
        forget { for try await _ in endless.values {} }
        try await loop.sleep(for: .seconds(1))
      }
      notes.add("turn ended")
    }
    drain(loop)
    let ended = try #require(notes.all.firstIndex(of: "turn ended"))
    #expect(notes.all[..<ended].filter { $0 == "cleaned" }.count == 2)
    #expect(notes.all[..<ended].contains("cancelled"))
  }

  @Test(
    "operations, links and turns keep their invariants when cancelled at random moments",
    arguments: 0..<60)
  func laws(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed), name: "ledger")
    let scheduler = SerialScheduler(on: loop)
    let book = Book(scheduler: scheduler, loop: loop)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<8 {
      let turn = "\(number)"
      let times = (0..<4).map { _ in Int.random(in: 0..<40, using: &random) }
      let leaves = Bool.random(using: &random)
      let hasHome = Bool.random(using: &random)
      let main = Int.random(in: 0..<60, using: &random)
      let body: @Sendable () async throws -> Void = { [self] in
        for time in times {
          forget { [loop] in
            try await loop.sleep(for: .milliseconds(time))
            _ = try await book.work(turn, time, leaves: leaves).first()
          }
        }
        _ = try await book.work(turn, main, leaves: leaves).first()
      }
      let task = loop.task {
        if hasHome {
          try await scheduler.turn(within: .milliseconds(200)) { try await body() }
        } else {
          let run = Signal<Void> { sink in
            try await body()
            try await sink(())
          }
          try await run.first(within: .milliseconds(200))
        }
      }
      tasks.append(task)
      if Bool.random(using: &random) {
        loop.after(.milliseconds(Int.random(in: 0..<400, using: &random))) { task.cancel() }
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      loop.after(.milliseconds(Int.random(in: 0..<400, using: &random))) { scheduler.cancelAll() }
    }
    let all = tasks
    try loop.run { for task in all { _ = await task.result } }
    drain(loop)
    book.check("seed \(seed)")
  }

  @Test(
    "the invariants hold in real time, with starts and cancellations on any thread",
    arguments: 0..<20)
  func lawsOnThreads(seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed), name: "ledger on threads")
    let loop = EventLoop()
    let scheduler = SerialScheduler(on: loop)
    let book = Book(scheduler: scheduler, loop: loop)
    var tasks: [Task<Void, any Error>] = []
    for number in 0..<8 {
      let turn = "\(number)"
      let times = (0..<4).map { _ in Int.random(in: 0..<4, using: &random) }
      let leaves = Bool.random(using: &random)
      let task = Task {
        try await scheduler.turn(within: .milliseconds(20)) {
          // On any thread of the pool, and not on the loop.
          for time in times { _ = Task { try await book.work(turn, time, leaves: leaves).first() } }
          for try await _ in book.work(turn, times[0], leaves: leaves).values { break }
          _ = try await book.work(turn, times[1], leaves: leaves).first()
        }
      }
      tasks.append(task)
      if Bool.random(using: &random) {
        loop.after(.milliseconds(Int.random(in: 0..<8, using: &random))) { task.cancel() }
      }
    }
    for task in tasks { _ = await task.result }
    book.check("seed \(seed)")
  }
}

/// Counters for the operations of several turns on one scheduler.
private final class Book: Sendable {
  let scheduler: SerialScheduler
  let loop: Loop
  /// The number of running operations of each turn.
  let running = Guarded<[String: Int]>([:])
  /// The number of links of each turn.
  let links = Guarded<[String: Int]>([:])
  /// The number of operations that began while an operation of another turn ran.
  let overlaps = Guarded(0)

  init(scheduler: SerialScheduler, loop: Loop) {
    self.scheduler = scheduler
    self.loop = loop
  }

  /// Expects that everything has ended and that no two turns overlapped.
  func check(_ comment: Comment) {
    #expect(overlaps.withLock { $0 } == 0, comment)
    #expect(running.withLock { $0.values.allSatisfy { $0 == 0 } }, comment)
    #expect(links.withLock { $0.values.allSatisfy { $0 == 0 } }, comment)
    #expect(scheduler.isIdle, comment)
  }

  /// Enters a link, works for a while, and may leave the link again.
  func work(_ turn: String, _ time: Int, leaves: Bool) -> Signal<Int> {
    Signal.operation(of: scheduler, "working") { [self] sink in
      running.withLock { running in
        running[turn, default: 0] += 1
        if running.contains(where: { $0.key != turn && $0.value > 0 }) {
          overlaps.withLock { $0 += 1 }
        }
      }
      defer { running.withLock { $0[turn, default: 0] -= 1 } }
      links.withLock { $0[turn, default: 0] += 1 }
      let entry = Turn.current?.registerRelease(of: "a link") { [self] in
        try await loop.sleep(for: .milliseconds(3))
        links.withLock { $0[turn, default: 0] -= 1 }
      }
      try await loop.sleep(for: .milliseconds(time))
      if leaves, let entry {
        Turn.current?.cancelRelease(entry)
        links.withLock { $0[turn, default: 0] -= 1 }
      }
      try await sink(time)
    }
  }
}
