// A thread for calls that block: those of libnats, and writes that wait for the disk.

import Signals

/// A thread that does one thing after the other.
package final class WorkerThread: Sendable {
  private let queue = EventLoop()
  private let isOver = Guarded(false)

  /// Starts the thread.
  ///
  /// - Parameter name: What the system calls it.
  /// - Returns: Nil when no thread is left.
  package init?(_ name: StaticString) {
    let (queue, isOver) = (queue, isOver)
    let number = startThread(name) {
      try? queue.drive { isOver.withLock { $0 } }
    }
    guard number == 0 else { return nil }
  }

  /// Does something, after everything else. What comes after the end is not done.
  package func post(_ body: @escaping @Sendable () -> Void) {
    guard !isOver.withLock({ $0 }) else { return }
    queue.post(body)
  }

  /// Does one last thing, and ends the thread.
  package func end(_ body: @escaping @Sendable () -> Void) {
    queue.post { [isOver] in
      if !isOver.withLock({ $0 }) { body() }
      isOver.withLock { $0 = true }
    }
  }
}
