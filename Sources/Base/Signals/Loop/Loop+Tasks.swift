// The loop of the current work, and async code on a loop outside turns.

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

  /// Runs `body` on this loop, in a new task, outside any turn.
  ///
  /// While the task runs, a blocked thread or the background thread drives the loop. Shutting the
  /// loop down cancels the task.
  ///
  /// ```swift
  /// let count = try await loop.task { try await readings.take(10).collect().first().count }.value
  /// ```
  public final func task<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Task<R, any Error> {
    let (context, work) = (TaskContext(loop: self), Work())
    begin(work)
    let task = OpenStream.outside {
      Task(executorPreference: self) { [self] in
        defer { end(work) }
        return try await TaskContext.$current.withValue(context) { try await body() }
      }
    }
    work.onCancel { task.cancel() }
    return task
  }

  /// Runs `body` on this loop and blocks until it ends, driving the loop meanwhile.
  ///
  /// ```swift
  /// let client = try loop.run { try await BlueZClient.open(on: loop) }
  /// ```
  ///
  /// - Throws: The error of `body`; ``BlockedInsideLoop``; in virtual time ``LoopIdle`` when no
  ///   event is left.
  public final func run<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
    let answer = Guarded<Result<R, any Error>?>(nil)
    var started: Task<Void, any Error>?
    let start = { [self] in
      started = task {
        let result: Result<R, any Error>
        do {
          result = .success(try await body())
        } catch {
          result = .failure(error)
        }
        answer.withLock { $0 = result }
      }
    }
    do {
      try drive(starting: start, until: DriveCondition { answer.withLock { $0 != nil } })
    } catch {
      started?.cancel()
      throw error
    }
    guard let result = answer.withLock({ $0 }) else { throw LoopShutDown() }
    return try result.get()
  }
}
