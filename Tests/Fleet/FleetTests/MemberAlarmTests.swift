// The alarm of a state machine, whose timers fire late, as on a loop of another thread.

import Fixtures
import Fleet
import Signals
import Testing

/// A clock whose timers fire when a test says so, also after they were cancelled.
private final class LateClock: MemberClock {
  private let loop = VirtualTimeLoop()
  private let bodies = Guarded<[@Sendable () -> Void]>([])

  var now: Instant { loop.now }
  /// The number of timers that were started.
  var count: Int { bodies.withLock { $0.count } }

  func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }

  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    bodies.withLock { $0.append(body) }
    return loop.after(delay) {}
  }

  func fire(_ index: Int) { bodies.withLock { $0[index] }() }
}

@Suite("The alarm of a state machine")
struct MemberAlarmTests {
  private let clock = LateClock()
  private let woken = Recorded<Int>()

  private func wake(_ alarm: MemberAlarm, at second: Int64, _ number: Int) {
    alarm.wake(at: .start + .seconds(second)) { [woken] in woken.add(number) }
  }

  @Test("a timer that fires after it was replaced wakes nothing, and leaves the later one set")
  func replaced() {
    let alarm = MemberAlarm(on: clock)
    wake(alarm, at: 1, 1)
    wake(alarm, at: 2, 2)
    clock.fire(0)
    #expect(woken.all == [])
    // It is set for that time already.
    wake(alarm, at: 2, 3)
    #expect(clock.count == 2)
    clock.fire(1)
    #expect(woken.all == [2])
    wake(alarm, at: 2, 4)
    clock.fire(2)
    #expect(woken.all == [2, 4])
  }

  @Test("a timer that fires after the alarm was cancelled wakes nothing")
  func cancelled() {
    let alarm = MemberAlarm(on: clock)
    wake(alarm, at: 1, 1)
    alarm.cancel()
    clock.fire(0)
    wake(alarm, at: 2, 2)
    alarm.wake(at: nil) {}
    clock.fire(1)
    #expect(woken.all == [])
    wake(alarm, at: 3, 3)
    clock.fire(2)
    #expect(woken.all == [3])
  }
}
