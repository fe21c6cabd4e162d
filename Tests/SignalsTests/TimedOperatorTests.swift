// Operators whose output depends on time, by their histories in virtual time.

import Fixtures
import Signals
import Testing

@Suite("Timed operators")
struct TimedOperatorTests {
  let loop = VirtualTimeLoop()

  func history<Value>(_ signal: Signal<Value>, cancelAt limit: Duration? = nil) throws -> [Moment] {
    try SignalsTests.history(of: signal, on: loop, cancelAt: limit)
  }

  /// Sends 1, 2, 3 … at these milliseconds after the start, and completes with the last.
  func timed(_ milliseconds: Int...) -> Signal<Int> {
    Signal.deferred { [loop] in
      let start = loop.now
      return Signal.values(Array(milliseconds.enumerated())).flattenMap { index, at in
        Signal { sink in
          try await loop.sleep(for: start + .milliseconds(at) - loop.now)
          try await sink(index + 1)
        }
      }
    }
  }

  /// A consumer that takes `milliseconds` over each value.
  func slowly<Value>(_ signal: Signal<Value>, _ milliseconds: Int) -> Signal<Value> {
    signal.flattenMap { .just($0).delay(.milliseconds(milliseconds)) }
  }

  @Test("throttle sends the first value at once, then the latest at the end of each interval")
  func throttleLatest() throws {
    let source = timed(100, 200, 300, 1500, 5000, 5100)
    #expect(
      try history(source.throttle(.seconds(1))) == [
        Moment(100, "1"), Moment(1100, "3"), Moment(2100, "4"), Moment(5000, "5"),
        Moment(5100, "6"), Moment(5100, "completed"),
      ]
    )
  }

  @Test("throttle that keeps the first drops what comes too soon")
  func throttleFirst() throws {
    let source = timed(100, 200, 1100, 1500, 5000, 5100)
    #expect(
      try history(source.throttle(.seconds(1), keeping: .first)) == [
        Moment(100, "1"), Moment(1100, "3"), Moment(5000, "5"), Moment(5100, "completed"),
      ]
    )
  }

  @Test("throttle sends the value that it held back before a failure")
  func throttleFailure() throws {
    let source = timed(100, 200).concat(.failure(Broken()))
    #expect(
      try history(source.throttle(.seconds(1))) == [
        Moment(100, "1"), Moment(200, "2"), Moment(200, "failed: Broken()"),
      ]
    )
  }

  @Test("throttle neither slows its source nor queues for a slow consumer")
  func throttleSlow() throws {
    let source = timed(0, 1000, 2000, 3000, 4000)
    #expect(
      try history(slowly(source.throttle(.milliseconds(500)), 2500)) == [
        Moment(2500, "1"), Moment(5000, "3"), Moment(7500, "5"), Moment(7500, "completed"),
      ]
    )
  }

  @Test("debounce sends a value after a pause, and the last one at the end")
  func debounce() throws {
    let source = timed(100, 200, 300, 2000, 2900, 4500, 4600)
    #expect(
      try history(source.debounce(.seconds(1))) == [
        Moment(1300, "3"), Moment(3900, "5"), Moment(4600, "7"), Moment(4600, "completed"),
      ]
    )
  }

  @Test("debounce sends the last value before a failure, and nothing when it is cancelled")
  func debounceEndings() throws {
    #expect(
      try history(timed(100).concat(.failure(Broken())).debounce(.seconds(1)))
        == [Moment(100, "1"), Moment(100, "failed: Broken()")]
    )
    let quiet = Signal.just(1).concat(.never()).debounce(.seconds(1))
    #expect(try history(quiet, cancelAt: .milliseconds(500)) == [Moment(600, "cancelled")])
  }

  @Test("sample sends the latest value at the trigger, once, and ends with the first of both")
  func sample() throws {
    let source = timed(100, 200, 2100, 3900)
    let sampled = source.sample(on: timed(1000, 2000, 3000, 9000))
    #expect(
      try history(sampled)
        == [Moment(1000, "2"), Moment(3000, "3"), Moment(3900, "completed")]
    )
    let endless = ticks(1, every: .milliseconds(1)).concat(.never())
    #expect(
      try history(endless.sample(on: timed(10))).map(\.what) == ["1", "completed"]
    )
  }

  @Test("sample at a period keeps to a grid; a failure of either ends it")
  func sampleEvery() throws {
    #expect(
      try history(timed(100, 2900, 3100, 4200).sample(every: .seconds(1)))
        == [
          Moment(1000, "1"), Moment(3000, "2"), Moment(4000, "3"), Moment(4200, "completed"),
        ]
    )
    let failing = Signal<Int>.failure(Broken())
    #expect(
      try history(Signal<Int>.never().sample(on: failing)).map(\.what) == ["failed: Broken()"]
    )
    #expect(
      try history(failing.sample(on: Signal<Int>.never())).map(\.what) == ["failed: Broken()"]
    )
  }

  @Test("bufferWithTime keeps to its grid and sends the open window at the end")
  func windows() throws {
    let source = timed(100, 900, 1000, 4200, 4300)
    #expect(
      try history(source.bufferWithTime(.seconds(1))) == [
        Moment(1000, "[1, 2]"), Moment(2000, "[3]"), Moment(4300, "[4, 5]"),
        Moment(4300, "completed"),
      ]
    )
  }

  @Test("bufferWithTime sends empty windows where that is asked for")
  func emptyWindows() throws {
    let source = timed(100, 3200)
    #expect(
      try history(source.bufferWithTime(.seconds(1), emptyWindows: true)) == [
        Moment(1000, "[1]"), Moment(2000, "[]"), Moment(3000, "[]"), Moment(3200, "[2]"),
        Moment(3200, "completed"),
      ]
    )
  }

  @Test("bufferWithTime loses nothing to a failure or to a slow consumer")
  func windowsLoseNothing() throws {
    let failing = timed(100, 1100).concat(.failure(Broken())).bufferWithTime(.seconds(1))
    #expect(
      try history(failing) == [
        Moment(1000, "[1]"), Moment(1100, "[2]"), Moment(1100, "failed: Broken()"),
      ]
    )
    let slow = slowly(timed(200, 1200, 2200, 3200).bufferWithTime(.seconds(1)), 5000)
    #expect(try history(slow).map(\.what) == ["[1]", "[2]", "[3]", "[4]", "completed"])
  }

  @Test("bufferWithTime fails by name at its bound, after what it holds")
  func windowsBound() throws {
    let source = ticks(9, every: .milliseconds(300)).bufferWithTime(.seconds(1), bufferLimit: 5)
    let seen = try history(slowly(source, 60_000)).map(\.what)
    #expect(
      seen == [
        "[1, 2, 3]", "[4, 5, 6]",
        "failed: more than 5 values were waiting to be taken: take them faster, or raise the bound",
      ]
    )
  }

  @Test("an endless source that never waits does not keep a timed operator from its timers")
  func busySource() throws {
    let endless = Signal.values(sequence(first: 1) { $0 + 1 })
    #expect(try history(endless.throttle(.seconds(1)).take(1)).map(\.what) == ["1", "completed"])
    let windows = try history(endless.bufferWithTime(.seconds(1), bufferLimit: 1000)).map(\.what)
    #expect(windows.count == 1 && windows[0].hasPrefix("failed: more than 1000 values"))
  }

  @Test("timestamped gives each value its instant")
  func timestamped() throws {
    #expect(
      try history(timed(1000, 2500).timestamped()).map(\.what)
        == ["+1.0 seconds 1", "+2.5 seconds 2", "completed"]
    )
  }

  @Test("a deadline over a timed operator names what its source waits for")
  func deadline() {
    let waiting = Signal<Int> { [loop] _ in
      let _: Int = try await wait(on: loop, operation: "reading battery-level") { _ in }
    }
    let chain = waiting.debounce(.seconds(1)).on(SerialScheduler(on: loop))
    let expected = TimedOut(
      operation: "reading battery-level",
      after: .seconds(5),
      limitOf: "firstOrDefault"
    )
    #expect(chain.firstOrDefault(0, within: .seconds(5)).error as? TimedOut == expected)
  }

  @Test("stopping a timed operator waits for the clean-up of its source")
  func stopping() throws {
    let notes = Recorded<String>()
    let source = ticks(9, every: .seconds(1)).finally { [loop] in
      try await loop.sleep(for: .seconds(3))
      notes.add("clean")
    }
    #expect(
      try history(source.throttle(.seconds(2)).take(1))
        == [Moment(1000, "1"), Moment(4000, "completed")]
    )
    #expect(notes.all == ["clean"])
  }
}
