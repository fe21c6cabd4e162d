// What a loop does at an instant.

/// A callback that a loop makes once, at or after an instant, unless it is cancelled first.
public final class LoopTimer: @unchecked Sendable {
  /// Where it is in the heap of the loop, whose lock protects this; negative when it is not there.
  @exclusivity(unchecked) var heapIndex = -1
  private let callback: @Sendable () -> Void
  // The state and not the loop: a timer may outlive its loop, which empties the heap when it ends.
  private let state: Guarded<Loop.State>

  init(state: Guarded<Loop.State>, _ callback: @escaping @Sendable () -> Void) {
    self.state = state
    self.callback = callback
  }

  /// Called on the loop, without its lock.
  func fire() { callback() }

  /// Disarms the timer.
  ///
  /// Does nothing when it has fired, or when its loop is gone. Any thread may call it, also the
  /// callback.
  public func cancel() {
    state.withLock { _ = $0.timers.remove(self) }
  }
}
