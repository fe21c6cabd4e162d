// The clock of a member's process, and the one alarm of a state machine that reads it.
//
// Programs have one on the clock that counts suspension; a simulated process can also be stopped and killed.

package import Signals

/// The clock and the callbacks of one process.
///
/// Callbacks are called one after the other. While the process is stopped none is called, and after its end
/// none is called any more.
package protocol MemberClock: Sendable {
  /// The time, by a clock that counts suspension.
  var now: Instant { get }

  /// Calls the body after everything that was posted before.
  func post(_ body: @escaping @Sendable () -> Void)

  /// Calls the body once, after this time.
  @discardableResult
  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer
}

/// The only alarm of a state machine.
package final class MemberAlarm: Sendable {
  private let clock: any MemberClock
  private let state = Guarded((timer: nil as LoopTimer?, wakesAt: nil as Instant?))

  /// Creates an alarm that is not set.
  package init(on clock: some MemberClock) { self.clock = clock }

  /// Calls `body` once at `next`, in place of any earlier request; nil only cancels that one.
  package func wake(at next: Instant?, _ body: @escaping @Sendable () -> Void) {
    let replaced = state.withLock { state -> LoopTimer? in
      guard state.wakesAt != next || state.timer == nil else { return nil }
      let replaced = state.timer
      // Set inside the lock: the timer may fire before this line has ended.
      state.timer = next.map { next in
        clock.after(next - clock.now + .milliseconds(1)) { [self] in
          self.state.withLock { $0 = (nil, nil) }
          body()
        }
      }
      state.wakesAt = next
      return replaced
    }
    replaced?.cancel()
  }

  /// Cancels the alarm.
  package func cancel() {
    let timer = state.withLock { state in
      defer { state = (nil, nil) }
      return state.timer
    }
    timer?.cancel()
  }
}
