// Operators written with the public interface alone, as another package would.

import Fixtures
import Signals
import Testing

/// Sends how many values arrived in each period, counted from the first value in it.
struct CountPerPeriod<Value: Sendable>: SignalOperator {
  let period: Duration
  private var count = 0
  private var full: [Int] = []
  private(set) var wakeUp: Instant?

  init(_ period: Duration) { self.period = period }

  mutating func receive(_ value: Value, at now: Instant) {
    count += 1
    if wakeUp == nil { wakeUp = now + period }
  }

  mutating func wake(at now: Instant) {
    full.append(count)
    (count, wakeUp) = (0, nil)
  }

  mutating func next() -> Int? { full.isEmpty ? nil : full.removeFirst() }
}

extension Signal where Value: Comparable {
  /// Sends values up to the first above `limit`.
  func upTo(_ limit: Value) -> Signal {
    Signal(home: home) { sink in
      try await runUntil { value in
        if value > limit { return true }
        try await sink(value)
        return false
      }
    }
  }
}

extension Signal {
  /// Pauses after each value.
  func pausing(_ pause: Duration) -> Signal {
    Signal(home: home) { sink in
      let loop = try Loop.current
      try await run { value in
        try await sink(value)
        try await loop.sleep(for: pause)
      }
    }
  }

  /// The first signal to send a value wins; the others are stopped.
  static func race(_ signals: [Signal]) -> Signal {
    let numbered = signals.enumerated().map { index, signal in signal.map { (index, $0) } }
    return Signal { sink in
      var winner: Int?
      try await Signal<(Int, Value)>.merge(numbered).run { index, value in
        if winner == nil { winner = index }
        if winner == index { try await sink(value) }
      }
    }
  }

  /// Sends each value, then waits until `device` confirms it.
  func acknowledged(by device: @escaping @Sendable (Value, Completion<Void>) -> Void) -> Signal {
    Signal(home: home) { sink in
      let loop = try Loop.current
      try await run { value in
        try await wait(on: loop, operation: "an acknowledgement", limit: .seconds(5)) { done in
          device(value, done)
        }
        try await sink(value)
      }
    }
  }
}

@Suite("Operators of others")
struct OwnOperatorTests {
  let loop = VirtualTimeLoop()

  func history<Value>(_ signal: Signal<Value>, cancelAt limit: Duration? = nil) throws -> [Moment] {
    try SignalsTests.history(of: signal, on: loop, cancelAt: limit)
  }

  @Test("a state machine in time is an operator")
  func machine() throws {
    let counted = ticks(5, every: .seconds(1)).through(CountPerPeriod(.milliseconds(1500)))
    #expect(
      try history(counted)
        == [Moment(2500, "2"), Moment(4500, "2"), Moment(5000, "completed")]
    )
  }

  @Test("each run of a state machine begins with the value that was given")
  func machineAnew() throws {
    let counted = Signal.values([1, 2]).concat(ticks(1, every: .seconds(9)))
      .through(CountPerPeriod(.seconds(1)))
    #expect(try history(counted).map(\.what) == ["2", "completed"])
    #expect(try history(counted).map(\.what) == ["2", "completed"])
  }

  @Test("a machine that throws fails the run after what it has ready, and stops its source")
  func machineThrows() throws {
    struct Failing: SignalOperator {
      var ready: [Int] = []
      mutating func receive(_ value: Int, at now: Instant) throws {
        if value == 3 { throw Broken() }
        ready.append(value)
      }
      mutating func next() -> Int? { ready.isEmpty ? nil : ready.removeFirst() }
    }
    let notes = Recorded<String>()
    let source = Signal.values(1...9).finally { notes.add("clean") }
    #expect(try history(source.through(Failing())).map(\.what) == ["1", "2", "failed: Broken()"])
    #expect(notes.all == ["clean"])
  }

  @Test("a source is stopped at a value")
  func stopping() throws {
    let notes = Recorded<String>()
    let source = Signal.values([1, 2, 5, 1]).finally { notes.add("clean") }
    #expect(try history(source.upTo(4)).map(\.what) == ["1", "2", "completed"])
    #expect(notes.all == ["clean"])
    #expect(
      source.upTo(4).on(SerialScheduler(on: loop)).firstOrDefault(0, within: .seconds(1)).value == 1
    )
  }

  @Test("a consumer's error passes through runUntil unchanged")
  func consumersError() throws {
    let signal = Signal.values([1, 2]).upTo(4).flattenMap { _ in Signal<Int>.failure(Broken()) }
    #expect(try history(signal).map(\.what) == ["failed: Broken()"])
  }

  @Test("the loop of the present work measures time")
  func loopTime() throws {
    #expect(
      try history(Signal.values([1, 2]).pausing(.seconds(3)))
        == [Moment(0, "1"), Moment(3000, "2"), Moment(6000, "completed")]
    )
  }

  @Test("outside a loop, there is no loop of the present work")
  func noLoop() {
    #expect(throws: NotOnLoop.self) { try Loop.current }
  }

  @Test("merged signals are distinguished by what they send")
  func race() throws {
    let raced = Signal.race([
      ticks(2, every: .seconds(2)), ticks(2, every: .seconds(1)).map { $0 * 10 },
    ])
    #expect(
      try history(raced)
        == [Moment(1000, "10"), Moment(2000, "20"), Moment(4000, "completed")]
    )
  }

  @Test("a wait of one's own ends with its answer, its limit or a cancellation")
  func acknowledged() throws {
    let signal = Signal.values([1, 2]).acknowledged { [loop] value, done in
      if value == 1 { loop.after(.seconds(1)) { done.succeed(()) } }
    }
    #expect(
      try history(signal)
        == [
          Moment(1000, "1"),
          Moment(6000, "failed: an acknowledgement did not end within 5.0 seconds"),
        ]
    )
    #expect(try history(signal, cancelAt: .milliseconds(500)).map(\.what) == ["cancelled"])
  }
}
