// What happens when a signal fails.

extension Signal {
  /// Goes on with what `handler` gives when this signal fails.
  ///
  /// Cancellation is no failure here, nor is what the consumer throws.
  @inlinable
  public func catchError(
    _ handler: @escaping @Sendable (any Error) throws -> Signal
  ) -> Signal {
    Signal(home: home) { [body] sink in
      guard let failure = try await producerFailure(of: body, sink) else { return }
      try await handler(failure).body(sink)
    }
  }

  /// Starts this signal again when it fails, as `policy` says.
  ///
  /// Values that were sent before stay sent. Cancellation is not retried.
  public func retry(_ policy: RetryPolicy) -> Signal {
    Signal(home: home) { [body] sink in
      var attempt = 1
      while let error = try await producerFailure(of: body, sink) {
        guard attempt < policy.attempts, policy.retries(error) else { throw error }
        attempt += 1
        let pause = policy.wait(before: attempt)
        if pause > .zero { try await Carried.requireLoop().sleep(for: pause) }
      }
    }
  }

  /// Runs `cleanUp` on every ending: completion, failure, cancellation, a consumer that stops.
  ///
  /// It is shielded: nothing cuts it short but `limit`.
  public func finally(
    limit: Duration = .seconds(10),
    _ cleanUp: @escaping @Sendable () async throws -> Void
  ) -> Signal {
    Signal(home: home) { [body] sink in
      let loop = try Carried.requireLoop()
      try await bracketed(on: loop, limit: limit, what: "what finally was given") {
        try await body(sink)
      } cleanUp: {
        try await cleanUp()
      }
    }
  }

  /// Hands the values on to another loop: what comes after runs there.
  public func deliver(on loop: Loop) -> Signal {
    Signal(home: home) { [body] sink in
      let here = Carried.current
      let carried = Carried(loop: loop, turn: here?.turn, inside: here)
      try await body { value in
        try await Carried.$current.withValue(carried) {
          try await withTaskExecutorPreference(loop) { try await sink(value) }
        }
      }
    }
  }

  /// Tells `log` of each value.
  public func logNext(
    _ label: String,
    to log: @escaping @Sendable (String) -> Void
  ) -> Signal {
    map { value in
      log("\(label): \(value)")
      return value
    }
  }
}

/// How a producer itself failed; nil when it completed.
///
/// - Throws: What the sink threw, and cancellation: neither is the producer's failure.
@usableFromInline
func producerFailure<Value>(
  of body: @escaping Signal<Value>.Body,
  _ sink: (Value) async throws -> Void
) async throws -> (any Error)? {
  var thrownBySink: (any Error)?
  do {
    try await body { value in
      do {
        try await sink(value)
      } catch {
        thrownBySink = error
        throw error
      }
    }
    return nil
  } catch {
    if let thrownBySink { throw thrownBySink }
    if error is CancellationError || Task.isCancelled { throw error }
    return error
  }
}
