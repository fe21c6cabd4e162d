// Custom operators that use only the public interface, as in another package.

import Fixtures
import Signals
import Testing

extension Signal {
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

@Suite("Custom operators")
struct OwnOperatorTests {
  let loop = VirtualTimeLoop()

  func history<Value>(_ signal: Signal<Value>, cancelAt limit: Duration? = nil) throws -> [Moment] {
    try SignalsTests.history(of: signal, on: loop, cancelAt: limit)
  }

  @Test("each run of a state machine starts from the initial state")
  func machineAnew() throws {
    let throttled = Signal.values([1, 2, 3]).throttle(.seconds(1))
    for _ in 0..<2 { #expect(try history(throttled).map(\.what) == ["1", "3", "completed"]) }
  }

  @Test("a machine that throws sends its pending values, fails the run and stops its source")
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

  @Test("outside a loop, there is no current loop")
  func noLoop() {
    #expect(throws: NotOnLoop.self) { try Loop.current }
  }

  @Test("a custom wait ends with its answer, its time limit or a cancellation")
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
