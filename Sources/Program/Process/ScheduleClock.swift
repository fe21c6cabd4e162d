// The clock that schedules go by: it counts while the host sleeps.

import Glibc
import Jobs
import Signals

/// Wall-clock times for a schedule, since 1970-01-01T00:00:00Z.
enum ScheduleClock {
  /// The clock for a schedule on a loop.
  ///
  /// Simulated time is the loop's. Times of the day follow the host's clock, however it is set;
  /// intervals do not, but both count what the host slept.
  static func clock(for schedule: Schedule?, on loop: Loop) -> @Sendable () -> Duration {
    if loop is VirtualTimeLoop { return { loop.wallClockAtStart + loop.now.sinceStart } }
    if case .cron? = schedule?.rule { return { EventLoop.time(CLOCK_REALTIME) } }
    let offset = EventLoop.time(CLOCK_REALTIME) - EventLoop.time(CLOCK_BOOTTIME)
    return { offset + EventLoop.time(CLOCK_BOOTTIME) }
  }
}
