// Moves the handling of values to another loop, an executor or an actor.

extension Signal {
  /// Passes the values to another loop, on which the later operators and the consumer run.
  ///
  /// ```
  /// source                       1---2---|      (its loop)
  /// deliver(on: storageLoop)     -1---2--|      (storageLoop)
  /// ```
  ///
  /// The source waits while a value is handled.
  ///
  /// ```swift
  /// readings.deliver(on: storageLoop).flattenMap { store($0) }
  /// ```
  public func deliver(on loop: Loop) -> Signal {
    Signal(home: home) { [body] sink in
      let there = TaskContext.branch(on: loop)
      try await body { value in
        try await TaskContext.$current.withValue(there) {
          try await withTaskExecutorPreference(loop) { try await sink(value) }
        }
      }
    }
  }

  /// Passes the values to an executor, on which the later operators and the consumer run.
  ///
  /// ```
  /// source                                   1---2---|      (its loop)
  /// deliver(on: globalConcurrentExecutor)    -1---2--|      (the executor)
  /// ```
  ///
  /// The source waits while a value is handled. The clock stays that of the run's loop, and virtual
  /// time stands still while the executor works. Operations stay on their loop: a later `read` of a
  /// device runs there, and its value is passed to the executor.
  ///
  /// ```swift
  /// readings.deliver(on: globalConcurrentExecutor).map { compressed($0) }
  /// ```
  public func deliver(on executor: some TaskExecutor) -> Signal {
    Signal(home: home) { [body] sink in
      let loop = try Loop.current
      let executor = (loop as? VirtualTimeLoop)?.awaiting(executor) ?? executor
      let away = TaskContext.branch(on: loop, executor: executor)
      try await body { value in
        try await loop.leaving {
          try await TaskContext.$current.withValue(away) {
            try await withTaskExecutorPreference(executor) { try await sink(value) }
          }
        }
      }
    }
  }

  /// Calls `receive` on an actor with each value, then passes the value on.
  ///
  /// ```
  /// source                       1-------2-------|      (its loop)
  /// receive                      -(1)-----(2)           (the actor)
  /// deliver(on: model)           ----1-------2---|      (its loop)
  /// ```
  ///
  /// The source waits while the actor is busy and while it handles the value. Later operators run
  /// on the loop again.
  ///
  /// ```swift
  /// readings.deliver(on: model) { model, reading in model.append(reading) }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - receive: Called with the actor and the value, isolated to the actor. Its errors are
  ///     treated as errors of the consumer.
  public func deliver<Receiver: Actor>(
    on actor: Receiver,
    _ receive: @escaping @Sendable (isolated Receiver, Value) async throws -> Void
  ) -> Signal {
    Signal(home: home) { [body] sink in
      let loop = try Loop.current
      try await body { value in
        try await loop.leaving { try await receive(actor, value) }
        try await sink(value)
      }
    }
  }
}

extension Loop {
  /// Runs `body`, which suspends outside this loop. A virtual loop does not throw `LoopIdle`
  /// meanwhile.
  fileprivate func leaving<R>(_ body: () async throws -> R) async rethrows -> R {
    guard let loop = self as? VirtualTimeLoop else { return try await body() }
    return try await loop.whileAway(body)
  }
}
