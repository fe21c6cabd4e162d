// The operators, each tested by its history in virtual time.

import Fixtures
import Signals
import Testing

@Suite("Operators")
struct OperatorTests {
  let loop = VirtualTimeLoop()

  func events<Value>(_ signal: Signal<Value>) throws -> [String] {
    try history(of: signal, on: loop).map(\.what)
  }

  @Test("just sends its value and completes, empty completes, failure fails")
  func known() throws {
    #expect(try events(.just(1)) == ["1", "completed"])
    #expect(try events(Signal<Int>.empty()) == ["completed"])
    #expect(try events(Signal<Int>.failure(Broken())) == ["failed: Broken()"])
  }

  @Test("never ends only by cancellation")
  func never() throws {
    let moments = try history(of: Signal<Int>.never(), on: loop, cancelAt: .seconds(2))
    #expect(moments == [Moment(2000, "cancelled")])
  }

  @Test(
    "map, filter, compactMap, scan, skip, take, distinctUntilChanged and collect transform values"
  )
  func values() throws {
    let numbers = Signal.values([1, 1, 2, 3, 3, 4])
    #expect(
      try events(numbers.map { $0 * 10 }) == ["10", "10", "20", "30", "30", "40", "completed"]
    )
    #expect(try events(numbers.filter { $0 % 2 == 0 }) == ["2", "4", "completed"])
    #expect(
      try events(numbers.compactMap { $0 > 2 ? "\($0)" : nil }) == ["3", "3", "4", "completed"]
    )
    #expect(try events(numbers.scan(0, +)) == ["1", "2", "4", "7", "10", "14", "completed"])
    #expect(try events(numbers.skip(4)) == ["3", "4", "completed"])
    #expect(try events(numbers.take(2)) == ["1", "1", "completed"])
    #expect(try events(numbers.take(0)) == ["completed"])
    #expect(try events(numbers.distinctUntilChanged()) == ["1", "2", "3", "4", "completed"])
    #expect(try events(numbers.collect()) == ["[1, 1, 2, 3, 3, 4]", "completed"])
    #expect(try events(Signal<Int>.empty().collect()) == ["[]", "completed"])
  }

  @Test("collect fails at its bound")
  func collectBound() throws {
    #expect(
      try events(Signal.values([1, 2, 3]).collect(limit: 2)).last?.hasPrefix("failed: more than 2")
        == true
    )
  }

  @Test("tryMap fails when its closure throws")
  func tryMap() throws {
    let signal = Signal.values([1, 2, 3]).tryMap { (value: Int) throws -> Int in
      if value == 2 { throw Broken() }
      return value
    }
    #expect(try events(signal) == ["1", "failed: Broken()"])
  }

  @Test("flattenMap runs one inner signal after the other")
  func concatenated() throws {
    let signal = Signal.values([3, 1]).flattenMap { number in
      ticks(number, every: .seconds(1)).map { "\(number).\($0)" }
    }
    #expect(
      try history(of: signal, on: loop) == [
        Moment(1000, "3.1"), Moment(2000, "3.2"), Moment(3000, "3.3"), Moment(4000, "1.1"),
        Moment(4000, "completed"),
      ]
    )
  }

  @Test("a merging flattenMap runs at most its limit of inner signals concurrently")
  func merged() throws {
    let signal = Signal.values([3, 2, 1]).flattenMap(.merge(limit: 2)) { number in
      Signal.just(number).delay(.seconds(number))
    }
    #expect(
      try history(of: signal, on: loop) == [
        Moment(2000, "2"), Moment(3000, "3"), Moment(3000, "1"), Moment(3000, "completed"),
      ]
    )
  }

  @Test("flattenMap to the latest cancels the previous inner signal")
  func latest() throws {
    let notes = Recorded<String>()
    let signal = ticks(3, every: .seconds(2)).flattenMap(.latest) { number in
      ticks(3, every: .milliseconds(1500)).map { "\(number).\($0)" }
        .finally { notes.add("end of \(number)") }
    }
    #expect(
      try history(of: signal, on: loop) == [
        Moment(3500, "1.1"), Moment(5500, "2.1"), Moment(7500, "3.1"), Moment(9000, "3.2"),
        Moment(10500, "3.3"), Moment(10500, "completed"),
      ]
    )
    #expect(notes.all == ["end of 1", "end of 2", "end of 3"])
  }

  @Test("the failure of a replaced inner signal does not explain a later deadline")
  func replacedFailure() {
    let loop = loop
    let signal = ticks(2, every: .seconds(1)).concat(.never()).flattenMap(.latest) { number in
      Signal<Int> { _ in
        do {
          try await loop.sleep(for: .seconds(60))
        } catch {
          if number == 1 { throw Broken() }
          throw error
        }
      }
    }
    let outcome = signal.on(SerialScheduler(on: loop)).firstOrDefault(0, within: .seconds(5))
    #expect(outcome.error is TimedOut)
  }

  @Test("then ignores the values, concat continues with the next signal, startWith sends first")
  func sequences() throws {
    #expect(try events(Signal.values([1, 2]).then { .just("next") }) == ["next", "completed"])
    #expect(
      try events(Signal.just(1).concat(.just(2)).startWith(0)) == ["0", "1", "2", "completed"]
    )
    #expect(try events(Signal<Int>.failure(Broken()).then { .just(1) }) == ["failed: Broken()"])
  }

  @Test("takeUntil completes when the trigger sends a value or completes, not when it fails")
  func takeUntil() throws {
    let source = ticks(3, every: .seconds(1))
    let trigger = Signal.just(()).delay(.milliseconds(2500))
    #expect(
      try history(of: source.takeUntil(trigger), on: loop) == [
        Moment(1000, "1"), Moment(2000, "2"), Moment(2500, "completed"),
      ]
    )
    #expect(
      try events(source.takeUntil(Signal<Int>.failure(Broken()))) == ["1", "2", "3", "completed"]
    )
    #expect(try events(source.takeUntil(Signal<Int>.empty())) == ["completed"])
  }

  @Test("delay preserves the spacing, and forwards a failure at once")
  func delay() throws {
    #expect(
      try history(of: ticks(2, every: .seconds(1)).delay(.seconds(5)), on: loop) == [
        Moment(6000, "1"), Moment(7000, "2"), Moment(7000, "completed"),
      ]
    )
    #expect(try events(Signal<Int>.failure(Broken()).delay(.seconds(5))) == ["failed: Broken()"])
    #expect(loop.now == .start + .seconds(7))
  }

  @Test("timeout limits the whole signal, idleTimeout the gaps between values")
  func timeouts() throws {
    let whose = ", the limit of the signal"
    #expect(
      try history(of: ticks(9, every: .seconds(1)).timeout(.milliseconds(2500)), on: loop) == [
        Moment(1000, "1"), Moment(2000, "2"),
        Moment(2500, "failed: sleeping for 1.0 seconds did not end within 2.5 seconds\(whose)"),
      ]
    )
    let quiet = ticks(2, every: .seconds(1)).concat(.never())
    #expect(
      try history(of: quiet.idleTimeout(.milliseconds(1500)), on: loop) == [
        Moment(3500, "1"), Moment(4500, "2"),
        Moment(6000, "failed: waiting for ever did not end within 1.5 seconds\(whose)"),
      ]
    )
  }

  @Test("retry runs the work again after waits that double, then gives up")
  func retry() throws {
    let runs = Recorded<String>()
    let failing = Signal<Int> { _ in
      runs.add("\(loop.now.sinceStart)")
      throw Broken()
    }
    let policy = RetryPolicy(attempts: 4, backoff: .seconds(1), backoffLimit: .seconds(3))
    #expect(try events(failing.retry(policy)) == ["failed: Broken()"])
    #expect(runs.all == ["0.0 seconds", "1.0 seconds", "3.0 seconds", "6.0 seconds"])
  }

  @Test("lazily runs its work again on retry and does not replay a failure")
  func lazily() {
    let scheduler = SerialScheduler(on: loop)
    let runs = Recorded<String>()
    let signal = Signal<Int>.lazily(on: scheduler) {
      runs.add("run")
      if runs.all.count < 3 { throw Broken() }
      return 7
    }
    let outcome = signal.retry(RetryPolicy(attempts: 5)).firstOrDefault(0, within: .seconds(1))
    #expect(outcome.value == 7)
    #expect(runs.all.count == 3)
  }

  @Test("catchError continues with another signal")
  func catchError() throws {
    let signal = Signal.just(1).concat(.failure(Broken())).catchError { _ in .just(2) }
    #expect(try events(signal) == ["1", "2", "completed"])
  }

  @Test("logNext logs each value")
  func logNext() throws {
    let notes = Recorded<String>()
    _ = try events(Signal.values([1, 2]).logNext("number") { notes.add($0) })
    #expect(notes.all == ["number: 1", "number: 2"])
  }

  @Test("a subject sends values to its observers and ends them")
  func subject() throws {
    let subject = Subject<Int>()
    subject.send(0)
    loop.after(.seconds(1)) { subject.send(1) }
    loop.after(.seconds(2)) {
      subject.send(2)
      subject.complete()
    }
    #expect(
      try history(of: subject.signal, on: loop) == [
        Moment(1000, "1"), Moment(2000, "2"), Moment(2000, "completed"),
      ]
    )
    #expect(subject.observerCount == 0)
  }

  @Test("a slow observer of a subject fails with a named error when its buffer is full")
  func overflow() throws {
    let subject = Subject<Int>(bufferLimit: 3)
    loop.after(.seconds(1)) { for number in 1...5 { subject.send(number) } }
    let slow = subject.signal.flattenMap { number in Signal.just(number).delay(.seconds(1)) }
    let seen = try history(of: slow, on: loop).map(\.what)
    #expect(seen.last?.contains("more than 3 values") == true)
  }

  @Test("deliver moves values to another loop")
  func deliver() async throws {
    let other = EventLoop()
    let here = EventLoop()
    let onOther = Guarded(false)
    let signal = Signal.just(1).deliver(on: other).map { value in
      onOther.withLock { $0 = (try? other.drive { true }) == nil }
      return value
    }
    let value = try await here.task { try await signal.first() }.value
    #expect(value == 1)
    #expect(onOther.withLock { $0 })
  }

  @Test("values is an asynchronous sequence that ends with the signal")
  func asyncSequence() async throws {
    let scheduler = SerialScheduler(on: EventLoop())
    var seen: [Int] = []
    for try await value in Signal.values([1, 2, 3]).on(scheduler).values { seen.append(value) }
    #expect(seen == [1, 2, 3])
  }
}
