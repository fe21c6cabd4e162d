// The clock of a simulated host, with the member's one timer.
//
// It models CLOCK_BOOTTIME: it drifts, counts while its host is stopped, and never jumps. The wall
// clock jumps; it is only displayed.

import Signals

/// The monotonic clock, wall clock and wake-up timer of one member.
final class HostClock: Sendable {
  private struct State {
    var timer: LoopTimer?
    var wakesAt: Instant?
    /// The sum of all changes to the wall clock.
    var offset = Duration.zero
  }

  private let loop: Loop
  private let rate: Double
  private let state = Guarded(State())

  /// - Parameter rate: Seconds of this clock per second of the loop.
  init(on loop: Loop, rate: Double) {
    self.loop = loop
    self.rate = rate
  }

  var now: Instant { Instant(sinceStart: loop.now.sinceStart * rate) }

  /// The wall-clock time, for display only.
  var wallClock: Duration {
    loop.wallClockAtStart + now.sinceStart + state.withLock { $0.offset }
  }

  func setWallClock(forwardBy jump: Duration) { state.withLock { $0.offset += jump } }

  /// Calls `body` once at `next`, and cancels an earlier timer.
  func wake(at next: Instant?, _ body: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.wakesAt != next || $0.timer == nil }) else { return }
    cancel()
    guard let next else { return }
    let timer = loop.after((next - now) * (1 / rate) + .microseconds(1)) { [self] in
      state.withLock { ($0.timer, $0.wakesAt) = (nil, nil) }
      body()
    }
    state.withLock { ($0.timer, $0.wakesAt) = (timer, next) }
  }

  /// Cancels the timer.
  func cancel() {
    let timer = state.withLock { state in
      defer { (state.timer, state.wakesAt) = (nil, nil) }
      return state.timer
    }
    timer?.cancel()
  }
}
