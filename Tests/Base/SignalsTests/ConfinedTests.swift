// State that belongs to a loop, and the way to it from other threads.

import Dispatch
import Glibc
import Testing

@testable import Signals

@Suite("Confined")
struct ConfinedTests {
  private struct State {
    var count = 0
    var holder: Holder?

    mutating func add(_ number: Int) -> Int {
      count += number
      return count
    }
  }

  /// Counts when it is freed.
  private final class Holder: Sendable {
    private let state: Confined<State>

    init(_ state: Confined<State>) { self.state = state }

    deinit { state.count += 1 }
  }

  @Test("state is changed in place, and a replaced value is freed after the access")
  func inPlace() {
    let state = Confined(State(), to: VirtualTimeLoop())
    state.count += 2
    #expect(state.contents.add(state.count) == 4)
    state.holder = Holder(state)
    state.holder = nil
    #expect(state.count == 5)
    state.holder = Holder(state)
    state.contents = State()
    #expect(state.count == 1)
  }

  @Test("work from another thread runs on the loop while the caller waits")
  func handedOver() throws {
    let loop = EventLoop()
    defer { loop.end() }
    let state = Confined(State(), to: loop)
    #expect(!loop.isCurrent && loop.performAndWait { loop.isCurrent })
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<100 { loop.performAndWait { state.count += 1 } }
    }
    loop.performSoon { state.count += 1 }
    #expect(try loop.run { loop.performAndWait { state.count } } == 801)
  }

  /// Goes to its loop when it is freed, and waits for it.
  private final class Leaver: Sendable {
    private let state: Confined<State>
    private let loop: Loop

    init(_ state: Confined<State>, _ loop: Loop) { (self.state, self.loop) = (state, loop) }

    deinit {
      loop.performSoon { [state] in state.count += 1 }
      loop.performAndWait { [state] in state.count += 1 }
    }
  }

  @Test("between jobs, the driving thread is on the loop: in conditions and where a timer is freed")
  func betweenJobs() throws {
    let loop = EventLoop()
    defer { loop.end() }
    let state = Confined(State(), to: loop)
    try loop.drive { loop.performAndWait { loop.isCurrent } }
    loop.after(.zero) { [leaver = Leaver(state, loop)] in withExtendedLifetime(leaver) {} }
    try loop.drive { loop.performAndWait { state.count } == 2 }
    _ = Leaver(state, loop)
    try loop.drive { loop.performAndWait { loop.isCurrent && state.count == 4 } }
    try loop.drive { (try? loop.drive { true }) == nil }
  }

  @Test("a condition is evaluated on the loop even when the driving thread stops driving")
  func driverLeaves() throws {
    let loop = EventLoop()
    defer { loop.end() }
    let (isTurned, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    DispatchQueue.global().async {
      isTurned.wait()
      try? loop.drive { loop.performAndWait { loop.isCurrent } }
      isOver.signal()
    }
    try loop.run {
      isTurned.signal()
      // The condition's work is queued after this block; the next driving thread runs it.
      while loop.state.withLock({ $0.incoming.isEmpty }) { sched_yield() }
    }
    isOver.wait()
  }

  #if DEBUG
    @Test("a debug build traps on access while another thread drives the loop")
    func touchedElsewhere() async {
      await #expect(processExitsWith: .failure) { touchBesideItsLoop() }
    }
  #endif
}

private func touchBesideItsLoop() {
  let loop = EventLoop()
  let state = Confined(0, to: loop)
  let (isTurned, never) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  loop.post {
    isTurned.signal()
    never.wait()
  }
  isTurned.wait()
  state.contents += 1
}
