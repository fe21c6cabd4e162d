// The four contexts of the blocking call, and its results.

import Signals
import Testing

@Suite("firstOrDefault")
struct FirstOrDefaultTests {
  let loop = VirtualTimeLoop()

  @Test("returns the first value and success")
  func value() throws {
    let outcome = Signal.values([7, 8]).firstOrDefault(0, within: .seconds(1))
    #expect(outcome.value == 7)
    #expect(outcome.success)
    #expect(outcome.error == nil)
    #expect(try outcome.result.get() == 7)
  }

  @Test("an empty completion is not success")
  func empty() {
    let outcome = Signal<Int>.empty().firstOrDefault(3, within: .seconds(1))
    #expect(outcome.value == 3)
    #expect(!outcome.success)
    #expect(outcome.error is NoValue)
  }

  @Test("a failure is returned unchanged")
  func failure() {
    let outcome = Signal<Int>.failure(Broken()).firstOrDefault(3, within: .seconds(1))
    #expect(outcome.value == 3)
    #expect(outcome.error is Broken)
    #expect(throws: Broken.self) { try outcome.result.get() }
  }

  @Test("a deadline ends the call at its instant, and names the operation that was pending")
  func deadline() {
    let scheduler = SerialScheduler(on: loop)
    let outcome = Signal<Int>.never().on(scheduler).firstOrDefault(3, within: .seconds(30))
    let expected = TimedOut(
      operation: "waiting for ever", after: .seconds(30), limitOf: "firstOrDefault"
    )
    #expect(outcome.error as? TimedOut == expected)
    let text = "waiting for ever did not end within 30.0 seconds, the limit of firstOrDefault"
    #expect("\(expected)" == text)
    #expect(loop.now == .start + .seconds(30))
  }

  @Test("called from a plain thread, it takes a turn and drives the loop")
  func plainThread() {
    let scheduler = SerialScheduler(on: EventLoop())
    let outcome = Signal.lazily(on: scheduler) { 5 }.firstOrDefault(0, within: .seconds(60))
    #expect(outcome.value == 5)
    #expect(scheduler.isIdle)
  }

  @Test("called from an async function on another executor, it takes a turn and drives the loop")
  func asyncFunction() async {
    let scheduler = SerialScheduler(on: EventLoop())
    let value = await Task.detached(priority: Task.currentPriority) {
      Signal.lazily(on: scheduler) { 5 }.firstOrDefault(0, within: .seconds(60)).value
    }.value
    #expect(value == 5)
  }

  @Test("called in a schedule block, it is part of that turn")
  func scheduleBlock() throws {
    let scheduler = SerialScheduler(on: loop)
    let values = Guarded<[Int]>([])
    try scheduler.schedule {
      for number in 1...3 {
        let outcome = Signal.just(number).delay(.seconds(1)).firstOrDefault(0, within: .seconds(5))
        values.withLock { $0.append(outcome.value) }
      }
    }.wait()
    #expect(values.withLock { $0 } == [1, 2, 3])
    #expect(loop.now == .start + .seconds(3))
  }

  @Test("called in an operator's closure, it fails at once")
  func operatorClosure() {
    let scheduler = SerialScheduler(on: loop)
    let inner = Guarded<(any Error)?>(nil)
    let outcome = Signal.just(1).on(scheduler).map { value in
      let blocked = Signal.just(2).delay(.seconds(1)).firstOrDefault(0, within: .seconds(5))
      inner.withLock { $0 = blocked.error }
      return value
    }.firstOrDefault(0, within: .seconds(5))
    #expect(outcome.value == 1)
    #expect(inner.withLock { $0 } is BlockedInsideLoop)
    #expect(loop.now == .start)
  }

  @Test("called in a loop's callback, it fails at once")
  func callback() throws {
    let other = SerialScheduler(on: EventLoop())
    let inner = Guarded<(any Error)?>(nil)
    loop.post {
      let blocked = Signal.just(2).on(other).firstOrDefault(0, within: .seconds(5))
      inner.withLock { $0 = blocked.error }
    }
    try loop.drive { inner.withLock { $0 != nil } }
    #expect(inner.withLock { $0 } is BlockedInsideLoop)
  }

  @Test("called while another scheduler of the same loop blocks an outer frame, it fails at once")
  func nestedSchedulers() throws {
    let first = SerialScheduler(on: loop, name: "first")
    let second = SerialScheduler(on: loop, name: "second")
    let inner = Guarded<(any Error)?>(nil)
    try first.schedule {
      let blocked = Signal.just(2).on(second).firstOrDefault(0, within: .seconds(5))
      inner.withLock { $0 = blocked.error }
    }.wait()
    #expect(inner.withLock { $0 } is BlockedInsideLoop)
  }
}

struct Broken: Error, Equatable {}
