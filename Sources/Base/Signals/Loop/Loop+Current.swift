// The loop of the present work, for operators that measure time or start tasks.

extension Loop {
  /// The loop on which the present work runs: its clock, and the executor of what it starts.
  ///
  /// For the body of an operator, which is always run on a loop:
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
      guard let run = Run.current else { throw NotOnLoop() }
      return run.loop
    }
  }

  /// Whether this thread runs something of this loop now.
  package final var isCurrent: Bool { ThreadContext.current.running === self }

  /// Whether no other thread turns this loop: this one does, or nobody. A virtual loop has one thread.
  @usableFromInline
  package final var isExclusive: Bool {
    isVirtual || isCurrent || state.withLock { $0.driver?.isThisThread ?? true }
  }

  /// Runs `body` on this loop, and waits for it: at once where this thread turns it.
  ///
  /// In virtual time nothing else runs meanwhile. What the loop runs must not wait for this thread.
  package final func enter<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { return running(body) }
    // Where this thread asks whether to go on waiting for the driver, it is not the one to be woken to
    // drive: it would not notice here.
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
      // Has the driver look at their goals again.
      post {}
    }
    // It was set before the waiter was woken.
    return answer.withLock { $0.unsafelyUnwrapped }
  }

  /// The same without waiting: for a deinitializer, which may run on any thread.
  package final func enterSoon(_ body: @escaping @Sendable () -> Void) {
    if isVirtual || isCurrent { return body() }
    if isDrivenHere { running(body) } else { post(body) }
  }
}
