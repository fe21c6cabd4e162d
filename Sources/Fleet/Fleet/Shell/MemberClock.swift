// The clock of a member's process, and the one alarm of a state machine that reads it.
//
// Programs have one on the clock that counts suspension; a simulated process can also be stopped and killed.

package import Signals

/// The clock and the callbacks of one process.
///
/// Callbacks are called one after the other: none while the process is stopped, and none after its
/// end.
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
  private struct State {
    var timer: LoopTimer?
    var wakesAt: Instant?
    /// Counts the requests: a timer that fires while another thread replaces it cannot be cancelled.
    var request = 0
  }

  private let clock: any MemberClock
  private let state = Guarded(State())

  /// Creates an alarm that is not set.
  package init(on clock: some MemberClock) { self.clock = clock }

  /// Calls `body` once at `next`, in place of any earlier request; nil only cancels that one.
  package func wake(at next: Instant?, _ body: @escaping @Sendable () -> Void) {
    let replaced = state.withLock { state -> LoopTimer? in
      guard state.wakesAt != next || state.timer == nil else { return nil }
      let replaced = state.timer
      let request = state.request + 1
      // Set inside the lock: the timer may fire before this line has ended.
      state.timer = next.map { timer(at: $0, of: request, body) }
      (state.wakesAt, state.request) = (next, request)
      return replaced
    }
    replaced?.cancel()
  }

  private func timer(
    at next: Instant, of request: Int, _ body: @escaping @Sendable () -> Void
  ) -> LoopTimer {
    clock.after(next - clock.now + .milliseconds(1)) { [self] in
      let isPresent = state.withLock { state in
        guard state.request == request else { return false }
        (state.timer, state.wakesAt) = (nil, nil)
        return true
      }
      if isPresent { body() }
    }
  }

  /// Cancels the alarm.
  package func cancel() {
    let timer = state.withLock { state in
      defer { state = State(request: state.request + 1) }
      return state.timer
    }
    timer?.cancel()
  }
}
