// What a loop does at an instant.

/// Something that a loop fires once, at or after an instant, unless it is disarmed first.
protocol Alarm: AnyObject, Sendable {
  /// Where it is in the heap of the loop that armed it, whose lock protects this; negative when it
  /// is not there.
  var heapIndex: Int { get set }

  /// Called on the loop, without its lock.
  func fire()
}

/// A callback that a loop makes once, at or after an instant, unless it is cancelled first.
public final class LoopTimer: Alarm, @unchecked Sendable {
  // `heapIndex` is protected by the lock of the loop's state.
  @exclusivity(unchecked) var heapIndex = -1
  private let callback: @Sendable () -> Void
  // The state and not the loop: a timer may outlive its loop, which empties the heap when it ends.
  private let state: Guarded<Loop.State>

  init(state: Guarded<Loop.State>, _ callback: @escaping @Sendable () -> Void) {
    self.state = state
    self.callback = callback
  }

  func fire() { callback() }

  /// Disarms the timer.
  ///
  /// Does nothing when it has fired, or when its loop is gone. Any thread may call it, also the
  /// callback.
  public func cancel() {
    state.withLock { _ = $0.timers.remove(self) }
  }
}
