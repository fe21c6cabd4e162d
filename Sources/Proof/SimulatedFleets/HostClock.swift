// The clock of a simulated host, and the one alarm of the member on it.
//
// It stands for CLOCK_BOOTTIME: it may run a little fast or slow, counts while its host is stopped, and
// never jumps. The wall clock of the host jumps; it is for display alone.

import Signals

/// What a member knows of the time, and what wakes it.
final class HostClock: Sendable {
  private struct State {
    var timer: LoopTimer?
    var wakesAt: Instant?
    /// How far the wall clock was set, in all.
    var offset = Duration.zero
  }

  private let loop: Loop
  private let rate: Double
  private let state = Guarded(State())

  /// - Parameter rate: How many seconds it counts in one of the loop.
  init(on loop: Loop, rate: Double) {
    self.loop = loop
    self.rate = rate
  }

  /// The time by this clock.
  var now: Instant { Instant(sinceStart: loop.now.sinceStart * rate) }

  /// The wall-clock time, for people.
  var wallClock: Duration {
    loop.wallClockAtStart + now.sinceStart + state.withLock { $0.offset }
  }

  /// Somebody sets the wall clock.
  func setWallClock(forwardBy jump: Duration) { state.withLock { $0.offset += jump } }

  /// Calls `body` at `next`, once; what was asked for before is forgotten.
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

  /// Forgets what was asked for.
  func cancel() {
    let timer = state.withLock { state in
      defer { (state.timer, state.wakesAt) = (nil, nil) }
      return state.timer
    }
    timer?.cancel()
  }
}
