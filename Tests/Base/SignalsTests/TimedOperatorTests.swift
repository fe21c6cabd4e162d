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
  func timed(_ milliseconds: Int...) -> Signal<Int> { timed(milliseconds) }

  func timed(_ milliseconds: [Int]) -> Signal<Int> {
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
  static func slowly<Value>(_ signal: Signal<Value>, _ milliseconds: Int) -> Signal<Value> {
    signal.flattenMap { .just($0).delay(.milliseconds(milliseconds)) }
  }

  /// An operator over a source, and its history: `1100 3` is the value 3 after 1100 ms.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let source: [Int]
    let apply: @Sendable (Signal<Int>) -> Signal<String>
    let history: String

    init<Value: Sendable>(
      _ what: String, of source: Int...,
      by apply: @escaping @Sendable (Signal<Int>) -> Signal<Value>, gives history: String
    ) {
      testDescription = what
      self.source = source
      self.apply = { apply($0).map { "\($0)" } }
      self.history = history
    }
  }

  static let cases = [
    Case(
      "throttle: the first at once, then the latest at the end of each interval", of: 100, 200, 300,
      1500, 5000, 5100, by: { $0.throttle(.seconds(1)) },
      gives: "100 1, 1100 3, 2100 4, 5000 5, 5100 6, 5100 completed"
    ),
    Case(
      "throttle that keeps the first drops what comes too soon", of: 100, 200, 1100, 1500, 5000,
      5100, by: { $0.throttle(.seconds(1), keeping: .first) },
      gives: "100 1, 1100 3, 5000 5, 5100 completed"
    ),
    Case(
      "throttle neither slows its source nor queues for a slow consumer", of: 0, 1000, 2000, 3000,
      4000, by: { slowly($0.throttle(.milliseconds(500)), 2500) },
      gives: "2500 1, 5000 3, 7500 5, 7500 completed"
    ),
    Case(
      "debounce: a value after a pause, and the last one at the end", of: 100, 200, 300, 2000, 2900,
      4500, 4600, by: { $0.debounce(.seconds(1)) }, gives: "1300 3, 3900 5, 4600 7, 4600 completed"
    ),
    Case(
      "sample at a period keeps to a grid", of: 100, 2900, 3100, 4200,
      by: { $0.sample(every: .seconds(1)) }, gives: "1000 1, 3000 2, 4000 3, 4200 completed"
    ),
    Case(
      "bufferWithTime keeps to its grid and sends the open window at the end", of: 100, 900, 1000,
      4200, 4300, by: { $0.bufferWithTime(.seconds(1)) },
      gives: "1000 [1, 2], 2000 [3], 4300 [4, 5], 4300 completed"
    ),
    Case(
      "bufferWithTime sends empty windows where that is asked for", of: 100, 3200,
      by: { $0.bufferWithTime(.seconds(1), emptyWindows: true) },
      gives: "1000 [1], 2000 [], 3000 [], 3200 [2], 3200 completed"
    ),
    Case(
      "timestamped gives each value its instant", of: 1000, 2500, by: { $0.timestamped() },
      gives: "1000 +1.0 seconds 1, 2500 +2.5 seconds 2, 2500 completed"
    ),
  ]

  @Test("each timed operator sends its expected history", arguments: cases)
  func histories(example: Case) throws {
    let moments = try history(example.apply(timed(example.source)))
    let text = moments.map { "\(Int($0.at / .milliseconds(1))) \($0.what)" }
    #expect(text.joined(separator: ", ") == example.history)
  }

  @Test("throttle sends the value it held back before a failure")
  func throttleFailure() throws {
    let source = timed(100, 200).concat(.failure(Broken()))
    #expect(
      try history(source.throttle(.seconds(1))) == [
        Moment(100, "1"), Moment(200, "2"), Moment(200, "failed: Broken()"),
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

  @Test("sample sends the latest value at each trigger, once, and ends when either signal ends")
  func sample() throws {
    let source = timed(100, 200, 2100, 3900)
    let sampled = source.sample(on: timed(1000, 2000, 3000, 9000))
    #expect(
      try history(sampled)
        == [Moment(1000, "2"), Moment(3000, "3"), Moment(3900, "completed")]
    )
    let endless = ticks(1, every: .milliseconds(1)).concat(.never())
    #expect(try history(endless.sample(on: timed(10))).map(\.what) == ["1", "completed"])
  }

  @Test("a failure of either signal ends a sample")
  func sampleFailure() throws {
    let failing = Signal<Int>.failure(Broken())
    #expect(
      try history(Signal<Int>.never().sample(on: failing)).map(\.what) == ["failed: Broken()"]
    )
    #expect(
      try history(failing.sample(on: Signal<Int>.never())).map(\.what) == ["failed: Broken()"]
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
    let slow = Self.slowly(timed(200, 1200, 2200, 3200).bufferWithTime(.seconds(1)), 5000)
    #expect(try history(slow).map(\.what) == ["[1]", "[2]", "[3]", "[4]", "completed"])
  }

  @Test("bufferWithTime sends the values it holds, then fails with a named error at its bound")
  func windowsBound() throws {
    let source = ticks(9, every: .milliseconds(300)).bufferWithTime(.seconds(1), bufferLimit: 5)
    let seen = try history(Self.slowly(source, 60_000)).map(\.what)
    #expect(
      seen == [
        "[1, 2, 3]", "[4, 5, 6]",
        "failed: more than 5 values were waiting to be taken: take them faster, or raise the bound",
      ]
    )
  }

  @Test("an endless source that never waits does not starve the timers of a timed operator")
  func busySource() throws {
    let endless = Signal.values(sequence(first: 1) { $0 + 1 })
    #expect(try history(endless.throttle(.seconds(1)).take(1)).map(\.what) == ["1", "completed"])
    let windows = try history(endless.bufferWithTime(.seconds(1), bufferLimit: 1000)).map(\.what)
    #expect(windows.count == 1 && windows[0].hasPrefix("failed: more than 1000 values"))
  }

  @Test("a deadline around a timed operator names the operation its source is waiting for")
  func deadline() {
    let waiting = Signal<Int> { [loop] _ in
      let _: Int = try await wait(on: loop, operation: "reading battery-level") { _ in }
    }
    let chain = waiting.debounce(.seconds(1)).on(SerialScheduler(on: loop))
    let expected = TimedOut(
      operation: "reading battery-level", after: .seconds(5), limitOf: "firstOrDefault"
    )
    #expect(chain.firstOrDefault(0, within: .seconds(5)).error as? TimedOut == expected)
  }

  @Test("stopping a timed operator waits for its source to clean up")
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
