// The clock for leases, which also runs while the host is suspended.
//
// Everything else uses the clock of the loop.

import Fleet
import Glibc
import Signals

/// The clock that also runs while the host is suspended.
struct BootClock: MemberClock {
  /// The loop that callbacks are called on.
  let loop: Loop

  var now: Instant { Self.now }

  func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }

  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    loop.after(delay, body)
  }

  /// The time since the host was started.
  static var now: Instant { Instant(sinceStart: EventLoop.time(CLOCK_BOOTTIME)) }

  /// A text unique to this process: at most 32 letters and digits.
  static var incarnation: String {
    let time = EventLoop.time(CLOCK_REALTIME).components
    let number = UInt64(time.seconds) * 1_000_000 + UInt64(time.attoseconds / 1_000_000_000_000)
    return "p\(getpid())t\(String(number, radix: 36))"
  }
}
