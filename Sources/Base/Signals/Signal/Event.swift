// One event of a signal, as a value: for observers and for tests that compare histories.

/// An event of a signal. A run sends `value* (completed | failed | cancelled)?`.
public enum Event<Value: Sendable>: Sendable {
  /// A value was sent.
  case value(Value)
  /// The work has completed.
  case completed
  /// The work has failed.
  case failed(any Error)
  /// The work was cancelled.
  case cancelled
}
