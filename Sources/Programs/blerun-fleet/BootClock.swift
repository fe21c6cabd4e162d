// The clock for leases, which also runs while the host is suspended.
//
// Everything else uses the clock of the loop.

import Glibc
import Signals

/// The clock that also runs while the host is suspended.
enum BootClock {
  /// The time since the host was started.
  static var now: Instant { Instant(sinceStart: EventLoop.time(CLOCK_BOOTTIME)) }

  /// A text unique to this process: at most 32 letters and digits.
  static var incarnation: String {
    let time = EventLoop.time(CLOCK_REALTIME).components
    let number = UInt64(time.seconds) * 1_000_000 + UInt64(time.attoseconds / 1_000_000_000_000)
    return "p\(getpid())t\(String(number, radix: 36))"
  }
}

/// The only alarm of a state machine that uses ``BootClock``.
final class BootAlarm: Sendable {
  private let loop: Loop
  private let state = Guarded((timer: nil as LoopTimer?, wakesAt: nil as Instant?))

  init(on loop: Loop) { self.loop = loop }

  /// Calls `body` once at `next`, in place of any earlier request; nil only cancels that one.
  func wake(at next: Instant?, _ body: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.wakesAt != next || $0.timer == nil }) else { return }
    cancel()
    guard let next else { return }
    let timer = loop.after(next - BootClock.now + .milliseconds(1)) { [self] in
      state.withLock { $0 = (nil, nil) }
      body()
    }
    state.withLock { $0 = (timer, next) }
  }

  /// Cancels the alarm.
  func cancel() {
    let timer = state.withLock { state in
      defer { state = (nil, nil) }
      return state.timer
    }
    timer?.cancel()
  }
}
