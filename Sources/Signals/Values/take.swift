// The first values, or all but the first.

extension Signal {
  /// Sends the first `count` values, stops the producer, waits for its clean-up, and completes.
  @inlinable
  public func take(_ count: Int) -> Signal {
    precondition(count >= 0, "a count is not negative")
    guard count > 0 else { return .empty() }
    return Signal(home: home) { [body] sink in
      var taken = 0
      var hasAll = false
      do {
        try await body { value in
          guard !hasAll else { throw Stopped() }
          try await sink(value)
          taken += 1
          if taken == count {
            hasAll = true
            throw Stopped()
          }
        }
      } catch is Stopped where hasAll {}
    }
  }

  /// Sends values up to the first that is the last, that one too; then stops the producer, waits
  /// for its clean-up, and completes.
  public func takeThrough(_ isLast: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(home: home) { [body] sink in
      var hasAll = false
      do {
        try await body { value in
          guard !hasAll else { throw Stopped() }
          hasAll = isLast(value)
          try await sink(value)
          if hasAll { throw Stopped() }
        }
      } catch is Stopped where hasAll {}
    }
  }

  /// Leaves out the first `count` values.
  @inlinable
  public func skip(_ count: Int) -> Signal {
    precondition(count >= 0, "a count is not negative")
    return Signal(home: home) { [body] sink in
      var skipped = 0
      try await body { value in
        if skipped < count {
          skipped += 1
        } else {
          try await sink(value)
        }
      }
    }
  }

  /// Sends values until `trigger` sends one or completes; then stops and completes.
  ///
  /// The trigger is started first. Its failure is ignored, as in ReactiveCocoa.
  public func takeUntil<Trigger: Sendable>(_ trigger: Signal<Trigger>) -> Signal {
    Signal(home: home) { [self] sink in
      let run = try ChildRun(of: self)
      let watcher = Task(executorPreference: run.loop) {
        let result = await ending { try await trigger.take(1).run { _ in } }
        if case .success = result { run.stop() }
      }
      run.start()
      do {
        try await run.pump(sink)
      } catch {
        watcher.cancel()
        await watcher.value
        throw error
      }
      watcher.cancel()
      await watcher.value
    }
  }
}
