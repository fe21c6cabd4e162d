// The clock of a simulated host, and the one alarm of the member on it.
//
// It stands for CLOCK_BOOTTIME: it may run a little fast or slow, counts while its host is stopped, and
// never jumps.

import Signals

/// What a member knows of the time, and what wakes it.
final class HostClock: Sendable {
  private struct State {
    var timer: LoopTimer?
    var wakesAt: Instant?
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

  /// Calls `body` at `next`, once; what was asked for before is forgotten.
  func wake(at next: Instant?, _ body: @escaping @Sendable () -> Void) {
    guard state.withLock({ $0.wakesAt != next || $0.timer == nil }) else { return }
    cancel()
    guard let next else { return }
    let timer = loop.after((next - now) * (1 / rate) + .microseconds(1)) { [self] in
      state.withLock { $0 = State() }
      body()
    }
    state.withLock { $0 = State(timer: timer, wakesAt: next) }
  }

  /// Forgets what was asked for.
  func cancel() {
    let timer = state.withLock { state in
      defer { state = State() }
      return state.timer
    }
    timer?.cancel()
  }
}
