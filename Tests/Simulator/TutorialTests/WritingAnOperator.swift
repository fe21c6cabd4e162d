// The code of docs/tutorials/writing-an-operator.md.

import Signals
import Testing

extension Signal where Value == Double {
  /// Sends the change from each value to the next.
  ///
  /// ```
  /// source      20---21---19---|
  /// changes()   -----1----(-2)-|
  /// ```
  func changes() -> Signal {
    scan((last: Double?.none, change: Double?.none)) { state, value in
      (value, state.last.map { value - $0 })
    }
    .compactMap(\.change)
  }
}

@Suite("Writing an operator")
struct OperatorTutorial {
  @Test("changes sends the differences of its source's values")
  func changes() throws {
    let source = Signal.values([20.0, 21, 19])
    #expect(try source.changes().collect().firstOrThrow(within: .seconds(1)) == [1, -2])
  }
}

extension Signal where Value: Comparable {
  /// Sends values up to the first above `limit`, which is not sent.
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

extension OperatorTutorial {
  @Test("upTo stops its source, even if the source never ends")
  func upTo() throws {
    let counter = Signal.interval(.seconds(1)).on(SerialScheduler(on: VirtualTimeLoop()))
    let numbers = try counter.upTo(3).collect().firstOrThrow(within: .seconds(60))
    #expect(numbers.last == 3)
  }
}

/// Sends how many values arrived in each full period that had one.
struct CountPerPeriod<Value: Sendable>: SignalOperator {
  let period: Duration
  private var count = 0
  private var full: [Int] = []
  private(set) var wakeUp: Instant?

  init(period: Duration) { self.period = period }

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

extension Signal {
  /// Sends how many values arrived in each full period that had one.
  func count(per period: Duration) -> Signal<Int> { through(CountPerPeriod(period: period)) }
}

extension OperatorTutorial {
  @Test("the machine counts the values that arrive before it is woken")
  func machine() {
    var machine = CountPerPeriod<String>(period: .seconds(10))
    let start = Instant(sinceStart: .zero)
    machine.receive("a", at: start)
    machine.receive("b", at: start + .seconds(3))
    #expect(machine.wakeUp == start + .seconds(10))
    #expect(machine.next() == nil)
    machine.wake(at: start + .seconds(10))
    #expect(machine.next() == 2)
    #expect(machine.wakeUp == nil)
  }

  @Test("counts per period are sent for a source that sends every 4 s")
  func counts() throws {
    let source = Signal.interval(.seconds(4)).on(SerialScheduler(on: VirtualTimeLoop()))
    let counts = try source.count(per: .seconds(10)).take(3).collect()
      .firstOrThrow(within: .seconds(120))
    #expect(counts == [3, 3, 3])
  }
}
