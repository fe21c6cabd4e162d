// Replaces failures.

extension Signal {
  /// Replaces a failure by the result of `transform`.
  ///
  /// ```
  /// source     --a--X(e)
  /// mapError   --a--X(f)
  /// ```
  ///
  /// Cancellation and errors of the consumer pass unchanged.
  ///
  /// ```swift
  /// thermometer.read(.batteryLevel).mapError { MeasurementFailed(of: "the battery", because: $0) }
  /// ```
  public func mapError(_ transform: @escaping @Sendable (any Error) -> any Error) -> Signal {
    Signal(home: home) { [body] sink in
      if let failure = try await producerFailure(of: body, sink) { throw transform(failure) }
    }
  }
}
