// One failure for another.

extension Signal {
  /// Fails with what `transform` makes of the failure.
  ///
  /// ```
  /// source     --a--X(e)
  /// mapError   --a--X(f)
  /// ```
  ///
  /// Cancellation is not a failure here, nor is what the consumer throws: both pass unchanged.
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
