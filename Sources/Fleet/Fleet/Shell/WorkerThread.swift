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
  ///
  /// - Parameters:
  ///   - limit: How long to block until the closure has run. A process that exits earlier ends the thread before
  ///     its closures. Jobs and callbacks of a loop never block here.
  ///   - body: The last closure.
  package func end(within limit: Duration = .zero, _ body: @escaping @Sendable () -> Void) {
    let caller = EventLoop()
    let hasEnded = Guarded(false)
    queue.post { [isOver] in
      if !isOver.withLock({ $0 }) { body() }
      isOver.withLock { $0 = true }
      caller.post { hasEnded.withLock { $0 = true } }
    }
    guard limit > .zero else { return }
    let deadline = caller.now + limit
    let timer = caller.after(limit) {}
    defer { timer.cancel() }
    try? caller.drive { hasEnded.withLock { $0 } || caller.now >= deadline }
  }
}
