// Blocking ways out without a default value.

extension Signal {
  /// Blocks for the first value, or throws why there is none.
  ///
  /// Like ``firstOrDefault(_:within:file:line:)``, for code without a sensible default. Use `firstOrDefault`
  /// where a default value can replace a failure, this one where a failure ends the work, and
  /// ``firstResult(within:file:line:)`` where the code handles both.
  ///
  /// ```swift
  /// let level = try device.session { device.read(.batteryLevel) }.firstOrThrow(within: .seconds(30))
  /// ```
  ///
  /// - Throws: What `firstOrDefault` gives as its error.
  @available(*, noasync, message: "await first(within:) instead")
  @inlinable
  public func firstOrThrow(
    within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) throws -> Value {
    try blockForFirst(within: limit, "firstOrThrow", file, line).get()
  }

  /// Blocks for the first value; the failure explains why there is none.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  /// switch level.firstResult(within: .seconds(30)) {
  /// case .success(let level): print("\(level) %")
  /// case .failure(let error): print("no level: \(error)")
  /// }
  /// ```
  ///
  /// - Returns: The first value, or what ``firstOrDefault(_:within:file:line:)`` gives as its error.
  @available(*, noasync, message: "await first(within:) instead")
  @inlinable
  public func firstResult(
    within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Result<Value, any Error> {
    blockForFirst(within: limit, "firstResult", file, line)
  }

  /// Blocks until the signal has completed, and ignores its values. Completing without one is fine.
  ///
  /// ```swift
  /// try device.session { device.write([1], to: switch, kind: .request) }
  ///   .waitUntilCompleted(within: .seconds(30))
  /// ```
  ///
  /// - Throws: The signal's failure, and what else `firstOrDefault` gives as its error.
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
