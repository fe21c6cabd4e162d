// A timer of a loop.

/// A callback that a loop calls once, at or after an instant, unless the timer is cancelled first.
public final class LoopTimer: @unchecked Sendable {
  /// The index in the timer heap of the loop, whose lock protects this; negative while it is not
  /// armed.
  @exclusivity(unchecked) var heapIndex = -1
  private let callback: @Sendable () -> Void
  // The state, not the loop: a timer may outlive its loop, which empties the heap when it is freed.
  private let state: Guarded<Loop.State>

  init(state: Guarded<Loop.State>, _ callback: @escaping @Sendable () -> Void) {
    self.state = state
    self.callback = callback
  }

  /// Called on the loop, without its lock.
  func fire() { callback() }

  /// Disarms the timer.
  ///
  /// This has no effect after the timer has fired or its loop was freed. Any thread may call it,
  /// and so may the callback.
  public func cancel() {
    state.withLock { _ = $0.timers.remove(self) }
  }
}
