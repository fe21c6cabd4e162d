// Signals made when they are started.

extension Signal {
  /// Calls `make` at each start, and runs the signal that it returns.
  ///
  /// ```
  /// make (1st)   a-b|
  /// make (2nd)           c-d|
  /// deferred     a-b|    c-d|
  /// ```
  ///
  /// For a signal that depends on a value known only at its start. An error of `make` is a failure
  /// of the signal.
  ///
  /// ```swift
  /// Signal.deferred { .just(settings.current) }.retry(RetryPolicy(attempts: 3))
  /// ```
  @inlinable
  public static func deferred(_ make: @escaping @Sendable () throws -> Signal) -> Signal {
    Signal { sink in try await make().run(sink) }
  }

  /// Runs `body` at each start, sends its result and completes.
  ///
  /// ```
  /// body     --returns a
  /// lazily   --a|
  /// ```
  ///
  /// Unlike ReactiveCocoa's `startLazilyWithScheduler`, it runs again on `retry`: a failure is not
  /// kept and replayed.
  ///
  /// ```swift
  /// Signal.lazily(on: scheduler) { try await database.limits() }
  ///   .flattenMap { limits in thermometer.write(limits.bytes, to: alarm, kind: .request) }
  /// ```
  ///
  /// - Parameters:
  ///   - scheduler: The scheduler whose loop runs `body`, in one of its turns.
  ///   - body: The work. It must not block; it may suspend.
  public static func lazily(
    on scheduler: SerialScheduler, _ body: @escaping @Sendable () async throws -> Value
  ) -> Signal {
    Signal.operation(of: scheduler, "lazy work") { sink in
      try await sink(try await withTaskExecutorPreference(scheduler.loop) { try await body() })
    }
  }
}
