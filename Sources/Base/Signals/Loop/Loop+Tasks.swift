// Async code on a loop, outside any turn.

extension Loop {
  /// Runs `body` on this loop, in a task of its own, outside any turn.
  ///
  /// The loop is kept turning for it: by whoever blocks, else by the background thread. It is
  /// cancelled when the loop is shut down.
  ///
  /// ```swift
  /// let count = try await loop.task { try await readings.take(10).collect().first().count }.value
  /// ```
  public final func task<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
  ) -> Task<R, any Error> {
    let (run, work) = (Run(loop: self), Work())
    begin(work)
    let task = OpenStream.outside {
      Task(executorPreference: self) { [self] in
        defer { end(work) }
        return try await Run.$current.withValue(run) { try await body() }
      }
    }
    work.attach { task.cancel() }
    return task
  }

  /// Runs `body` on this loop and blocks for its end, turning the loop meanwhile.
  ///
  /// ```swift
  /// let client = try loop.run { try await BlueZClient.open(on: loop) }
  /// ```
  ///
  /// - Throws: What `body` throws; ``BlockedInsideLoop``; ``LoopIdle`` when time is virtual and
  ///   nothing is left that could happen.
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
