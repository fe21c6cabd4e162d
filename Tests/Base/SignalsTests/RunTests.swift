// A run takes at most one turn.

import Fixtures
import Signals
import Testing

@Suite("A run and its turn")
struct RunTests {
  let loop = VirtualTimeLoop()
  let notes = Recorded<String>()

  private func scheduler(_ name: String) -> SerialScheduler {
    SerialScheduler(on: loop, name: name)
  }

  /// An operation that takes a second, and notes its beginning and end.
  private func operation(_ name: String, of scheduler: SerialScheduler) -> Signal<String> {
    Signal.operation(of: scheduler, name) { [loop, notes] sink in
      notes.add("begin \(name)")
      try await loop.sleep(for: .seconds(1))
      notes.add("end \(name)")
      try await sink(name)
    }
  }

  /// A link that is released at the end of the turn that it was made in.
  private func connect(of scheduler: SerialScheduler) -> Signal<String> {
    Signal.operation(of: scheduler, "connecting") { [loop, notes] sink in
      notes.add("connected")
      _ = Turn.current?.registerRelease(of: "the link") {
        try await loop.sleep(for: .seconds(1))
        notes.add("disconnected")
      }
      try await sink("")
    }
  }

  @Test("a run holds its turn until it ends, clean-up included")
  func held() throws {
    let devices = scheduler("devices")
    let run = Signal.just(1).flattenMap { [self] _ in connect(of: devices) }
      .flattenMap { [self] _ in operation("read", of: devices) }
      .flattenMap { [self] _ in operation("write", of: devices) }
    let other = operation("other", of: devices).on(devices)
    try loop.run { [loop] in
      let first = loop.task { try await run.first() }
      let second = loop.task {
        try await loop.sleep(for: .milliseconds(1_500))
        return try await other.first()
      }
      _ = try await (first.value, second.value)
    }
    drain(loop)
    #expect(
      notes.all == [
        "connected", "begin read", "end read", "begin write", "end write", "disconnected",
        "begin other", "end other",
      ]
    )
    #expect(devices.isIdle)
  }

  @Test("parallel branches share one request for the turn")
  func branches() throws {
    let devices = scheduler("devices")
    let busy = loop.task { [loop] in
      try await devices.turn { try await loop.sleep(for: .seconds(5)) }
    }
    let run = Signal.values(["a", "b"]).flattenMap(.merge(limit: 2)) { [self] name in
      operation(name, of: devices)
    }.collect()
    let values = try loop.run { try await run.first() }
    drain(loop)
    _ = busy
    #expect(values == ["a", "b"])
    #expect(loop.now == .start + .seconds(6))
    #expect(notes.all == ["begin a", "begin b", "end a", "end b"])
  }

  @Test(
    "an operation of another scheduler fails at once, naming both schedulers",
    arguments: ["home", "no home", "turn", "schedule"]
  )
  func otherScheduler(place: String) throws {
    let (a, b) = (scheduler("a"), scheduler("b"))
    // Another run holds the turn of b for an hour.
    _ = loop.task { [loop] in try await b.turn { try await loop.sleep(for: .seconds(3_600)) } }
    let chain = operation("read a", of: a).flattenMap { [self] _ in operation("read b", of: b) }
    let error = Guarded<(any Error)?>(nil)
    switch place {
    case "home": error.withLock { $0 = chain.firstOrDefault("", within: .seconds(60)).error }
    case "no home":
      let run = Signal.just(1).flattenMap { _ in chain }
      try loop.run {
        do { _ = try await run.first() } catch let failure { error.withLock { $0 = failure } }
      }
    case "turn":
      let inner = operation("read b", of: b)
      try loop.run {
        do {
          _ = try await a.turn { try await b.turn { try await inner.first() } }
        } catch let failure {
          error.withLock { $0 = failure }
        }
      }
    default:
      let run = Signal.just(1).flattenMap { [self] _ in operation("read b", of: b) }
      try a.schedule {
        let outcome = run.firstOrDefault("", within: .seconds(60))
        error.withLock { $0 = outcome.error }
      }.wait()
    }
    let failure = try #require(error.withLock { $0 } as? OtherScheduler)
    #expect([failure.present, failure.wanted] == ["a", "b"])
    #expect("\(failure)".contains("'a'") && "\(failure)".contains("'b'"))
    #expect(loop.now <= .start + .seconds(1))
    #expect(!notes.all.contains("begin read b"))
    #expect(a.isIdle)
    b.cancelAll()
    drain(loop)
  }

  @Test("a blocking call in a turn of another scheduler fails at once, naming both schedulers")
  func blockingElsewhere() throws {
    let (a, b) = (scheduler("a"), SerialScheduler(on: EventLoop(), name: "b"))
    let error = Guarded<(any Error)?>(nil)
    let other = Signal.lazily(on: b) { 1 }
    try a.schedule {
      let outcome = other.firstOrDefault(0, within: .seconds(60))
      error.withLock { $0 = outcome.error }
    }.wait()
    let failure = try #require(error.withLock { $0 } as? OtherScheduler)
    #expect([failure.present, failure.wanted] == ["a", "b"])
  }

  @Test("waiting for the turn counts towards the deadline, and a timeout withdraws the request")
  func waitingCounts() throws {
    let devices = scheduler("devices")
    let busy = loop.task { [loop] in
      try await devices.turn { try await loop.sleep(for: .seconds(60)) }
    }
    let run = Signal.just(1).flattenMap { [self] _ in operation("read", of: devices) }
    let error = try loop.run { [loop] in
      do {
        _ = try await run.first(within: .seconds(5))
        return nil as (any Error)?
      } catch {
        #expect(loop.now == .start + .seconds(5))
        return error
      }
    }
    let timedOut = try #require(error as? TimedOut)
    #expect(timedOut.operation.contains("a turn of devices"))
    drain(loop)
    _ = busy
    #expect(devices.isIdle)
    #expect(notes.all.isEmpty)
  }

  @Test("shutting down a scheduler ends a run that waits for its turn")
  func shutDown() throws {
    let devices = scheduler("devices")
    let busy = loop.task { [loop] in
      try await devices.turn { try await loop.sleep(for: .seconds(60)) }
    }
    loop.after(.seconds(1)) { devices.shutDown() }
    let run = Signal.just(1).flattenMap { [self] _ in operation("read", of: devices) }
    try loop.run { _ = await #expect(throws: LoopShutDown.self) { try await run.first() } }
    drain(loop)
    _ = busy
    #expect(devices.isIdle)
  }

  @Test("an async first has a deadline even when the caller gives none")
  func deadline() throws {
    try loop.run { [loop] in
      await #expect(throws: TimedOut.self) { try await Signal<Int>.never().first() }
      #expect(loop.now == .start + .seconds(3_600))
    }
    drain(loop)
  }

  @Test("a poll holds its turn until it ends, unless it takes a turn for each repetition")
  func polls() throws {
    let devices = scheduler("devices")
    for (poll, expected) in [
      (
        Signal.poll(every: .seconds(10)) { [self] in operation("poll", of: devices) },
        ["poll", "poll", "poll", "other"]
      ),
      (
        Signal.poll(every: .seconds(10), takingTurnsOf: devices) { [self] in
          operation("poll", of: devices)
        },
        ["poll", "other", "poll", "poll"]
      ),
    ] {
      notes.removeAll()
      let other = operation("other", of: devices)
      try loop.run { [loop] in
        let polling = loop.task { try await poll.take(3).collect().first() }
        try await loop.sleep(for: .milliseconds(500))
        _ = try await other.first()
        #expect(try await polling.value == ["poll", "poll", "poll"])
      }
      drain(loop)
      #expect(notes.all == expected.flatMap { ["begin \($0)", "end \($0)"] })
      #expect(devices.isIdle)
    }
  }

  @Test("a run that takes a turn for each repetition holds no turn in between")
  func pollBeside() throws {
    let (a, b) = (scheduler("a"), scheduler("b"))
    let polling = Signal.poll(every: .seconds(10), takingTurnsOf: a) { [self] in
      operation("poll", of: a)
    }
    let beside = Signal.just(1).delay(.milliseconds(500)).flattenMap { [self] _ in
      operation("beside", of: b)
    }
    let run = Signal<Signal<String>>.values([polling, beside]).flattenMap(.merge(limit: 2)) { $0 }
      .collect()
    try loop.run { _ = await #expect(throws: OtherScheduler.self) { try await run.first() } }
    drain(loop)
    #expect(a.isIdle && b.isIdle)
  }

  @Test("a signal without a home that is observed on a loop runs there and reaches its operations")
  func observedOnLoop() throws {
    let devices = scheduler("devices")
    let run = Signal.just(1).flattenMap { [self] _ in operation("read", of: devices) }
    try loop.run { [loop, notes] in
      run.observe { notes.add("\($0)") }
      try await loop.sleep(for: .seconds(2))
    }
    drain(loop)
    #expect(notes.all == ["begin read", "end read", "value(\"read\")", "completed"])
    #expect(devices.isIdle)
  }

  @Test("a turn inside a run without a home belongs to the run")
  func turnInRun() throws {
    let devices = scheduler("devices")
    let run = Signal<String> { [self] sink in
      let value = try await devices.turn { try await connect(of: devices).first() }
      try await sink(value)
      notes.add("behind the turn")
    }.collect()
    _ = try loop.run { try await run.first() }
    drain(loop)
    #expect(notes.all == ["connected", "behind the turn", "disconnected"])
  }
}
