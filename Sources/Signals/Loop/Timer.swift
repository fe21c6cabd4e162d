// A callback armed for an instant of a loop.

/// A callback that a loop will make once, at or after an instant, unless it is cancelled first.
public final class Timer: @unchecked Sendable {
  // `heapIndex` is protected by the lock of the loop that armed this timer; -1 means not armed.
  var heapIndex = -1
  let fire: @Sendable () -> Void
  // A timer is used only while its loop is: a weak reference would slow every retain of
  // the loop.
  private unowned let loop: Loop

  init(loop: Loop, fire: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.fire = fire
  }

  /// Disarms the timer. Does nothing when it has fired; any thread may call it, also the callback.
  public func cancel() {
    loop.disarm(self)
  }
}
