// interval, poll and combineLatest, by their histories in virtual time.

import Fixtures
import Signals
import Testing

@Suite("Repeated and joined work")
struct RepeatedWorkTests {
  let loop = VirtualTimeLoop()

  func history<Value>(_ signal: Signal<Value>, cancelAt limit: Duration? = nil) throws -> [Moment] {
    try SignalsTests.history(of: signal, on: loop, cancelAt: limit)
  }

  @Test("interval keeps to its schedule, and skips ticks that a slow consumer misses")
  func interval() throws {
    let slow = Signal<Int>.interval(.seconds(1)).take(4).flattenMap { number in
      Signal.just(number).delay(.milliseconds(number == 2 ? 2500 : 100))
    }
    #expect(
      try history(slow) == [
        Moment(1100, "1"), Moment(4500, "2"), Moment(5100, "5"), Moment(6100, "6"),
        Moment(6100, "completed"),
      ]
    )
  }

  @Test("interval ends at once when it is cancelled")
  func cancelled() throws {
    #expect(
      try history(.interval(.seconds(1)), cancelAt: .milliseconds(1500))
        == [Moment(1000, "1"), Moment(1500, "cancelled")]
    )
  }

  @Test("poll starts at once, never overlaps itself, and requests a new value each time")
  func poll() throws {
    let asked = Guarded(0)
    let polled = Signal<Int>.poll(every: .seconds(1)) {
      let number = asked.withLock { count in
        count += 1
        return count
      }
      return Signal.just(number).delay(.milliseconds(number == 2 ? 1200 : 300))
    }
    #expect(
      try history(polled.take(4)) == [
        Moment(300, "1"), Moment(2200, "2"), Moment(3300, "3"), Moment(4300, "4"),
        Moment(4300, "completed"),
      ]
    )
  }

  @Test("the first failure ends the poll")
  func failedPoll() throws {
    let polled = Signal<Int>.poll(every: .seconds(1)) { .failure(Broken()) }
    #expect(try history(polled) == [Moment(0, "failed: Broken()")])
  }

  @Test(
    "combineLatest waits for a value from each, sends at each value, and ends with its last source"
  )
  func combining() throws {
    let joined = Signal.combineLatest([
      ticks(3, every: .seconds(1)), ticks(2, every: .milliseconds(1600)).map { $0 * 10 },
    ])
    #expect(
      try history(joined) == [
        Moment(1600, "[1, 10]"), Moment(2000, "[2, 10]"), Moment(3000, "[3, 10]"),
        Moment(3200, "[3, 20]"), Moment(3200, "completed"),
      ]
    )
    #expect(try history(Signal<Int>.combineLatest([])).map(\.what) == ["completed"])
  }
}
