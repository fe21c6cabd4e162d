// Looking at events as they pass.

extension Signal {
  /// Calls the closures with the events of this signal, and passes these on.
  ///
  /// ```
  /// source   --a---b---|
  /// on       --a---b---|
  /// ```
  ///
  /// Each is called before the event goes on. A run that is cancelled, or whose consumer stops it or
  /// fails, calls neither `failure` nor `completed`: what has to happen on every ending belongs in
  /// ``finally(limit:_:)``.
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

  /// Calls `log` with each value, behind `label`.
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
