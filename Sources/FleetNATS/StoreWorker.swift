// The one thread on which libnats is called: its calls block.

#if Fleet
  import Signals

  /// A thread that does one thing after the other.
  final class StoreWorker: Sendable {
    private let queue = EventLoop()
    private let isOver = Guarded(false)

    /// Starts the thread.
    ///
    /// - Returns: Nil when no thread is left.
    init?() {
      let (queue, isOver) = (queue, isOver)
      let number = startThread("fleet store") {
        try? queue.drive { isOver.withLock { $0 } }
      }
      guard number == 0 else { return nil }
    }

    /// Does something, after everything else. What comes after the end is not done.
    func post(_ body: @escaping @Sendable () -> Void) {
      guard !isOver.withLock({ $0 }) else { return }
      queue.post(body)
    }

    /// Does one last thing, and ends the thread.
    func end(_ body: @escaping @Sendable () -> Void) {
      queue.post { [isOver] in
        if !isOver.withLock({ $0 }) { body() }
        isOver.withLock { $0 = true }
      }
    }
  }
#endif
