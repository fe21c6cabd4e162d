// Where the values are dealt with: another loop, an executor, an actor.

extension Signal {
  /// Passes the values on to another loop: what comes after runs there.
  ///
  /// ```
  /// source                       1---2---|      (its loop)
  /// deliver(on: storageLoop)     -1---2--|      (storageLoop)
  /// ```
  ///
  /// The source waits while a value is dealt with.
  ///
  /// ```swift
  /// readings.deliver(on: storageLoop).flattenMap { store($0) }
  /// ```
  public func deliver(on loop: Loop) -> Signal {
    Signal(home: home) { [body] sink in
      let there = Run.branch(on: loop)
      try await body { value in
        try await Run.$current.withValue(there) {
          try await withTaskExecutorPreference(loop) { try await sink(value) }
        }
      }
    }
  }

  /// Passes the values on to an executor: what comes after runs there.
  ///
  /// ```
  /// source                                   1---2---|      (its loop)
  /// deliver(on: globalConcurrentExecutor)    -1---2--|      (the executor)
  /// ```
  ///
  /// The source waits while a value is dealt with. Time stays that of the loop of the run: virtual time
  /// stands still while the executor works. Operations stay on their loop: behind this one, `read` of a
  /// device is sent from there, and its value comes to the executor.
  ///
  /// ```swift
  /// readings.deliver(on: globalConcurrentExecutor).map { compressed($0) }
  /// ```
  public func deliver(on executor: some TaskExecutor) -> Signal {
    Signal(home: home) { [body] sink in
      let loop = try Loop.current
      let executor = (loop as? VirtualTimeLoop)?.awaiting(executor) ?? executor
      let away = Run.branch(on: loop, executor: executor)
      try await body { value in
        try await loop.leaving {
          try await Run.$current.withValue(away) {
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
  /// The source waits while the actor is busy and while it deals with the value. What comes after
  /// runs on the loop again.
  ///
  /// ```swift
  /// readings.deliver(on: model) { model, reading in model.append(reading) }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor.
  ///   - receive: Called with the actor and the value, isolated to the actor. What it throws is
  ///     treated as thrown by the consumer.
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
  /// Runs `body`, which leaves this loop. A virtual loop does not call itself idle meanwhile.
  fileprivate func leaving<R>(_ body: () async throws -> R) async rethrows -> R {
    guard let loop = self as? VirtualTimeLoop else { return try await body() }
    return try await loop.whileAway(body)
  }
}
