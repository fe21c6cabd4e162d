// The loop of the current work, for operators that measure time or start tasks.

extension Loop {
  /// The loop of the current work: its clock, and the executor of the tasks it starts.
  ///
  /// For the body of an operator, which always runs on a loop:
  ///
  /// ```swift
  /// extension Signal {
  ///   func pausing(_ pause: Duration) -> Signal {
  ///     Signal(home: home) { sink in
  ///       let loop = try Loop.current
  ///       try await run { value in
  ///         try await sink(value)
  ///         try await loop.sleep(for: pause)
  ///       }
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// - Throws: ``NotOnLoop`` in a task that belongs to no loop.
  public static var current: Loop {
    get throws(NotOnLoop) {
      guard let context = TaskContext.current else { throw NotOnLoop() }
      return context.loop
    }
  }

  /// Whether this thread is running a job or callback of this loop.
  package final var isCurrent: Bool { ThreadContext.current.running === self }

  /// Whether no other thread drives this loop. A virtual loop has only one thread.
  @usableFromInline
  package final var isExclusive: Bool {
    isVirtual || isCurrent || state.withLock { $0.driver?.isThisThread ?? true }
  }

  /// Runs `body` on this loop and waits for it; immediately if this thread drives the loop.
  ///
  /// In virtual time nothing else runs meanwhile. Code on the loop must not wait for this thread.
  package final func performAndWait<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { return running(body) }
    // This thread may be checking a goal of its own. It must not be woken to drive while it waits here,
    // where it would not notice: its waiters are removed until `body` has run.
    let own = state.withLock { state in
      defer { state.waiters.removeAll(where: \.isOfThisThread) }
      return state.waiters.filter(\.isOfThisThread)
    }
    let answer = Guarded<R?>(nil)
    let waiter = DriveWaiter(DriveCondition { true })
    post {
      let value = body()
      answer.withLock { $0 = value }
      waiter.wake()
    }
    _ = waiter.sleep(for: nil)
    if !own.isEmpty {
      state.withLock { $0.waiters += own }
      // Makes the driver check the goals again.
      post {}
    }
    // `value` was stored before the waiter was woken.
    return answer.withLock { $0.unsafelyUnwrapped }
  }

  /// Runs `body` on this loop without waiting for it: for a deinitializer, which may run on any thread.
  package final func performSoon(_ body: @escaping @Sendable () -> Void) {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { running(body) } else { post(body) }
  }
}
