// The clock of leases: it counts the time while the host is suspended, too.

import Glibc
import Signals

/// The clock that counts suspension.
enum BootClock {
  /// The present time since the host was started.
  static var now: Instant { Instant(sinceStart: EventLoop.time(CLOCK_BOOTTIME)) }

  /// What distinguishes this process from all others, in at most 32 letters and digits.
  static var incarnation: String {
    let time = EventLoop.time(CLOCK_REALTIME).components
    let number = UInt64(time.seconds) * 1_000_000 + UInt64(time.attoseconds / 1_000_000_000_000)
    return "p\(getpid())t\(String(number, radix: 36))"
  }
}
