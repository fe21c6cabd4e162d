// `within` limits the call even if the work ignores cancellation.

import Fixtures
import Foundation
import Signals
import Testing

@Suite("The time limit of a blocking call")
struct BoundTests {
  /// Work that ignores its cancellation until it is opened.
  private final class Gate: Sendable {
    private struct State {
      var isOpen = false
      var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Guarded(State())

    func pass() async {
      await withCheckedContinuation { continuation in
        let isOpen = state.withLock { state in
          if !state.isOpen { state.waiting.append(continuation) }
          return state.isOpen
        }
        if isOpen { continuation.resume() }
      }
    }

    func open() {
      let waiting = state.withLock { state in
        state.isOpen = true
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Long enough for work to start even on a busy machine.
  private static let limit = Duration.seconds(1)

  private static func time(_ body: () -> Void) -> Duration {
    let clock = ContinuousClock()
    return clock.measure(body)
  }

  @Test(
    "work that ignores cancellation does not delay the caller's timeout; the next turn waits for it"
  )
  func stubborn() throws {
    let scheduler = SerialScheduler(on: EventLoop())
    let (gate, notes) = (Gate(), Recorded<String>())
    let stubborn = Signal<Int>.lazily(on: scheduler) {
      await gate.pass()
      notes.add("ended")
      return 1
    }
    let took = Self.time {
      let outcome = stubborn.firstOrDefault(0, within: Self.limit)
      #expect(outcome.value == 0)
      let expected = TimedOut(
        operation: "firstOrDefault", after: Self.limit, limitOf: "firstOrDefault"
      )
      #expect(outcome.error as? TimedOut == expected)
    }
    #expect(took >= Self.limit)
    #expect(took < .seconds(60))
    #expect(!scheduler.isIdle)
    let next = scheduler.schedule { notes.add("next") }
    #expect(notes.all.isEmpty)
    gate.open()
    try next.wait()
    #expect(notes.all == ["ended", "next"])
  }

  @Test("in a schedule block the call times out on time, and the turn ends only after the work")
  func inScheduleBlock() throws {
    let scheduler = SerialScheduler(on: EventLoop())
    let (gate, notes) = (Gate(), Recorded<String>())
    let stubborn = Signal<Int>.lazily(on: scheduler) {
      await gate.pass()
      notes.add("ended")
      return 1
    }
    let first = scheduler.schedule {
      let outcome = stubborn.firstOrDefault(0, within: Self.limit)
      notes.add(outcome.error is TimedOut ? "left" : "\(outcome)")
      gate.open()
    }
    let second = scheduler.schedule { notes.add("next") }
    try first.wait()
    try second.wait()
    #expect(notes.all == ["left", "ended", "next"])
  }

  @Test("a task that blocks the driving thread does not delay a timeout on another thread")
  func neighbour() {
    let loop = EventLoop()
    let here = SerialScheduler(on: loop)
    let (begun, over) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    @Sendable func block() {
      begun.signal()
      over.wait()
    }
    _ = loop.task { block() }
    begun.wait()
    let took = Self.time {
      let outcome = Signal.lazily(on: here) { 1 }.firstOrDefault(0, within: .milliseconds(50))
      #expect(outcome.error is TimedOut)
    }
    #expect(took < .seconds(60))
    over.signal()
    #expect(Signal.lazily(on: here) { 2 }.firstOrDefault(0, within: .seconds(60)).value == 2)
  }

  @Test("a schedule block that blocks its thread does not block the loop")
  func blockedBlock() throws {
    let loop = EventLoop()
    let (begun, over, fired) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let turn = SerialScheduler(on: loop).schedule {
      begun.signal()
      over.wait()
    }
    begun.wait()
    loop.after(.milliseconds(1)) { fired.signal() }
    #expect(fired.wait(timeout: .now() + 60) == .success)
    over.signal()
    try turn.wait()
  }
}
