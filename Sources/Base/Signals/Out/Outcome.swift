// What a blocking call for one value gives back.

/// The first value of a signal, or the default and the reason why there was none.
public struct Outcome<Value: Sendable>: Sendable {
  /// The first value, or the default.
  public let value: Value
  /// Why there was none; nil on success.
  public let error: (any Error)?

  @inlinable
  init(_ value: Value, error: (any Error)?) {
    self.value = value
    self.error = error
  }

  /// Whether there was a value. An empty completion is not success.
  public var success: Bool { error == nil }

  /// The value, or why there was none: the default is left out.
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

/// A signal completed without the value that was asked for.
public struct NoValue: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was to give the value.
  public let operation: String

  /// The error of the signal, or the step, that is called `operation`.
  public init(operation: String) {
    self.operation = operation
  }

  /// What completed without a value.
  public var description: String { "\(operation) completed without a value" }
}
