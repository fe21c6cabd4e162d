// A thread for blocking calls: those of libnats, and writes that wait for the disk.
//
// Work that does not block belongs on the loop.

import Signals

/// A thread that runs closures one after the other.
package final class WorkerThread: Sendable {
  private let queue = EventLoop()
  private let isOver = Guarded(false)

  /// Starts the thread.
  ///
  /// - Parameter name: The name of the thread in the system.
  /// - Returns: Nil when no thread could be started.
  package init?(_ name: StaticString) {
    let (queue, isOver) = (queue, isOver)
    let number = startThread(name) {
      try? queue.drive { isOver.withLock { $0 } }
    }
    guard number == 0 else { return nil }
  }

  /// Runs a closure after all posted ones. After `end` it does nothing.
  package func post(_ body: @escaping @Sendable () -> Void) {
    guard !isOver.withLock({ $0 }) else { return }
    queue.post(body)
  }

  /// Runs a last closure after all posted ones, and ends the thread.
  package func end(_ body: @escaping @Sendable () -> Void) {
    queue.post { [isOver] in
      if !isOver.withLock({ $0 }) { body() }
      isOver.withLock { $0 = true }
    }
  }
}
