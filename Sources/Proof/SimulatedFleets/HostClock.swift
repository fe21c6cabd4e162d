// The clock of a simulated host.
//
// It models CLOCK_BOOTTIME: it drifts, counts while its host is stopped, and never jumps. The wall
// clock jumps; it is only displayed.

import Fleet
import Signals

/// The monotonic clock and the wall clock of one host, for a process that is never stopped.
final class HostClock: MemberClock {
  private let loop: Loop
  private let rate: Double
  /// The sum of all changes to the wall clock.
  private let offset = Guarded(Duration.zero)

  /// - Parameter rate: Seconds of this clock per second of the loop.
  init(on loop: Loop, rate: Double) {
    self.loop = loop
    self.rate = rate
  }

  var now: Instant { Instant(sinceStart: loop.now.sinceStart * rate) }

  /// The wall-clock time, for display only.
  var wallClock: Duration { loop.wallClockAtStart + now.sinceStart + offset.withLock { $0 } }

  func setWallClock(forwardBy jump: Duration) { offset.withLock { $0 += jump } }

  func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }

  func after(_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
    loop.after(delay * (1 / rate) + .microseconds(1), body)
  }
}
