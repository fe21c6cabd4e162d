// Handling of failures, and clean-up on every ending.

extension Signal {
  /// Continues with the signal that `handler` returns when this signal fails.
  ///
  /// ```
  /// source       1-2-X
  /// handler          8-9-|
  /// catchError   1-2-8-9-|
  /// ```
  ///
  /// Cancellation and errors of the consumer are not failures of this signal.
  ///
  /// ```swift
  /// thermometer.read(.batteryLevel).catchError { _ in .just(0) }
  /// ```
  @inlinable
  public func catchError(_ handler: @escaping @Sendable (any Error) throws -> Signal) -> Signal {
    Signal(home: home) { [body] sink in
      guard let failure = try await producerFailure(of: body, sink) else { return }
      try await handler(failure).body(sink)
    }
  }

  /// Restarts this signal when it fails, with the attempts and waits of `policy`.
  ///
  /// ```
  /// source (1st)   1-X
  /// source (2nd)       1-2-|
  /// retry          1---1-2-|
  /// ```
  ///
  /// Values that earlier attempts sent have reached the consumer. Cancellation is not retried.
  ///
  /// ```swift
  /// thermometer.connect().retry(RetryPolicy(attempts: 3, backoff: .seconds(1)))
  /// ```
  public func retry(_ policy: RetryPolicy) -> Signal {
    Signal(home: home) { [body] sink in
      var attempt = 1
      while let error = try await producerFailure(of: body, sink) {
        guard attempt < policy.attempts, policy.retries(error) else { throw error }
        attempt += 1
        let pause = policy.wait(before: attempt)
        if pause > .zero { try await Loop.current.sleep(for: pause) }
      }
    }
  }

  /// Runs `cleanUp` on every ending: completion, failure, cancellation, a consumer that stops.
  ///
  /// ```
  /// source     1-2-|     1-X      1-2-cancelled
  /// cleanUp        c       c          c
  /// finally    1-2-c|    1-cX     1-2-c cancelled
  /// ```
  ///
  /// It is shielded: only `limit` cuts it short. The ending is passed on after it. ReactiveCocoa's
  /// `finally:` does not run when the subscription is disposed.
  ///
  /// ```swift
  /// readings.finally { try await led.turnOff() }
  /// ```
  public func finally(
    limit: Duration = .seconds(10), _ cleanUp: @escaping @Sendable () async throws -> Void
  ) -> Signal {
    Signal(home: home) { [body] sink in
      let loop = try Loop.current
      try await bracketed(on: loop, limit: limit, what: "what finally was given") {
        try await body(sink)
      } cleanUp: {
        try await cleanUp()
      }
    }
  }
}

/// Runs a producer, and returns its failure; nil if it completed.
///
/// - Throws: The error of the sink, or cancellation: neither is a failure of the producer.
@usableFromInline
func producerFailure<Value>(
  of body: @escaping Signal<Value>.Body, _ sink: (Value) async throws -> Void
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
