// The result of a blocking call with a default value.

/// The first value of a signal, or the default value and the failure.
public struct Outcome<Value: Sendable>: Sendable {
  /// The first value, or the default.
  public let value: Value
  /// The failure; nil on success.
  public let error: (any Error)?

  @inlinable
  init(_ value: Value, error: (any Error)?) {
    self.value = value
    self.error = error
  }

  /// Whether the signal sent a value. Completing without one is not success.
  public var success: Bool { error == nil }

  /// The value or the failure, without the default.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }.firstOrDefault(0, within: .seconds(30))
  /// switch level.result {
  /// case .success(let level): print("\(level) %")
  /// case .failure(let error): print("no level: \(error)")
  /// }
  /// ```
  public var result: Result<Value, any Error> { error.map { .failure($0) } ?? .success(value) }
}

/// A signal completed without sending the awaited value.
public struct NoValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// The signal or step that completed.
  public let operation: String

  /// The error of the signal or step called `operation`.
  public init(operation: String) {
    self.operation = operation
  }

  /// The failure with its operation.
  public var description: String { "\(operation) completed without a value" }
}
