// One event of a signal, as a value: for observers and for tests that compare histories.

/// What a signal can do: `value* (completed | failed | cancelled)?`.
public enum Event<Value: Sendable>: Sendable {
  /// A value was sent.
  case value(Value)
  /// The work is done.
  case completed
  /// The work failed.
  case failed(any Error)
  /// The work was cancelled.
  case cancelled
}
