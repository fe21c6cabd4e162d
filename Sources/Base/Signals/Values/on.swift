// Observes events without changing them.

extension Signal {
  /// Calls the closures with the events of this signal, and passes the events on.
  ///
  /// ```
  /// source   --a---b---|
  /// on       --a---b---|
  /// ```
  ///
  /// A closure is called before its event is passed on. If the run is cancelled, or its consumer
  /// stops or fails, neither `failure` nor `completed` is called: use ``finally(limit:_:)`` for
  /// code that must run on every ending.
  ///
  /// ```swift
  /// thermometer.connect().on(
  ///   value: { print("connected") },
  ///   failure: { print("no connection: \($0)") }
  /// )
  /// ```
  ///
  /// - Parameters:
  ///   - value: Called with each value.
  ///   - failure: Called when this signal fails.
  ///   - completed: Called when this signal completes.
  public func on(
    value: @escaping @Sendable (Value) -> Void = { _ in },
    failure: @escaping @Sendable (any Error) -> Void = { _ in },
    completed: @escaping @Sendable () -> Void = {}
  ) -> Signal {
    Signal(home: home) { [body] sink in
      let failed = try await producerFailure(of: body) { passing in
        value(passing)
        try await sink(passing)
      }
      if let failed {
        failure(failed)
        throw failed
      }
      completed()
    }
  }

  /// Calls `log` with `label` and each value.
  ///
  /// ```
  /// source    1-----2-----|
  /// log       "n: 1" "n: 2"
  /// logNext   1-----2-----|
  /// ```
  ///
  /// ```swift
  /// readings.logNext("temperature") { logger.info("\($0)") }
  /// ```
  public func logNext(_ label: String, to log: @escaping @Sendable (String) -> Void) -> Signal {
    map { value in
      log("\(label): \(value)")
      return value
    }
  }
}
