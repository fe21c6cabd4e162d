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

  /// Whether this thread runs this loop now.
  package final var isCurrent: Bool { ThreadContext.current.running === self }
}
