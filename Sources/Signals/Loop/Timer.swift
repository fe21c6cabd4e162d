// What a loop does at an instant.

/// Something that a loop fires once, at or after an instant, unless it is disarmed first.
public class Alarm: @unchecked Sendable {
  // `heapIndex` is protected by the lock of the loop that armed this; -1 means not armed.
  @exclusivity(unchecked) final var heapIndex = -1

  init() {}

  /// Called on the loop, without its lock.
  func fire() { fatalError("abstract") }
}

/// A callback that a loop will make once, at or after an instant, unless it is cancelled first.
public final class Timer: Alarm, @unchecked Sendable {
  private let callback: @Sendable () -> Void
  // A timer is used only while its loop is: a weak reference would slow every retain of
  // the loop.
  private unowned let loop: Loop

  init(loop: Loop, _ callback: @escaping @Sendable () -> Void) {
    self.loop = loop
    self.callback = callback
  }

  override func fire() { callback() }

  /// Disarms the timer. Does nothing when it has fired; any thread may call it, also the callback.
  public func cancel() {
    loop.disarm(self)
  }
}
