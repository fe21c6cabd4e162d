// Signals that are decided when they are started.

extension Signal {
  /// Asks for the signal anew at each start.
  @inlinable
  public static func deferred(
    _ make: @escaping @Sendable () throws -> Signal
  ) -> Signal {
    Signal { sink in try await make().run(sink) }
  }

  /// Runs `body` at each start, sends what it returns and completes.
  ///
  /// Unlike ReactiveCocoa's `startLazilyWithScheduler`, it runs again on `retry`: a failure is not
  /// kept and replayed.
  ///
  /// - Parameters:
  ///   - scheduler: Where `body` belongs: it runs on that scheduler's loop, in one of its turns.
  ///   - body: The work. It must not block; it may suspend.
  public static func lazily(
    on scheduler: SerialScheduler,
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Signal {
    Signal.operation(of: scheduler, "lazy work") { sink in
      try await sink(try await withTaskExecutorPreference(scheduler.loop) { try await body() })
    }
  }

  /// Describes work by a function that feeds a sink.
  ///
  /// The same as the initialiser, under ReactiveCocoa's name.
  @inlinable
  public static func create(
    home: SerialScheduler? = nil,
    _ body: @escaping Body
  ) -> Signal {
    Signal(home: home, body)
  }
}
