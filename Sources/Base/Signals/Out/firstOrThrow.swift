// Blocking calls without a default value.

extension Signal {
  /// Blocks for the first value; throws the failure.
  ///
  /// Use it where a failure ends the work, ``firstOrDefault(_:within:file:line:)`` where a default
  /// value can replace a failure, and ``firstResult(within:file:line:)`` where the code handles
  /// both.
  ///
  /// ```swift
  /// let level = try device.session { device.read(.batteryLevel) }.firstOrThrow(within: .seconds(30))
  /// ```
  ///
  /// - Throws: The errors that `firstOrDefault` returns.
  @available(*, noasync, message: "await first(within:) instead")
  @inlinable
  public func firstOrThrow(
    within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Value {
    try blockForFirst(within: limit, "firstOrThrow", file, line).get()
  }

  /// Blocks for the first value or the failure.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  /// switch level.firstResult(within: .seconds(30)) {
  /// case .success(let level): print("\(level) %")
  /// case .failure(let error): print("no level: \(error)")
  /// }
  /// ```
  ///
  /// - Returns: The first value, or the error that ``firstOrDefault(_:within:file:line:)`` returns.
  @available(*, noasync, message: "await first(within:) instead")
  @inlinable
  public func firstResult(
    within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Result<Value, any Error> {
    blockForFirst(within: limit, "firstResult", file, line)
  }

  /// Blocks until the signal has completed, and ignores its values. It may complete without one.
  ///
  /// ```swift
  /// try device.session { device.write([1], to: switch, kind: .request) }
  ///   .waitUntilCompleted(within: .seconds(30))
  /// ```
  ///
  /// - Throws: The errors that `firstOrDefault` returns, except ``NoValue``.
  @available(*, noasync, message: "iterate over values instead")
  @inlinable
  public func waitUntilCompleted(
    within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) throws {
    let operation = "waitUntilCompleted"
    let name = TurnName(operation, file, line)
    let failure = blockForTurn(home, operation: operation, named: name, within: limit) {
      try await body { _ in }
    }
    if let failure { throw failure }
  }
}
