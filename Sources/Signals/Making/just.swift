// Signals that are known when they are made.

extension Signal {
  /// Sends `value` and completes.
  @inlinable
  public static func just(_ value: Value) -> Signal {
    Signal { sink in try await sink(value) }
  }

  /// Sends `values` in order and completes.
  @inlinable
  public static func values(_ values: some Sequence<Value> & Sendable) -> Signal {
    Signal { sink in for value in values { try await sink(value) } }
  }

  /// Completes without a value.
  @inlinable
  public static func empty() -> Signal {
    Signal { _ in }
  }

  /// Fails with `error`.
  @inlinable
  public static func failure(_ error: any Error) -> Signal {
    Signal { _ in throw error }
  }

  /// Sends nothing and does not end, unless it is cancelled.
  public static func never() -> Signal {
    Signal { _ in
      try await wait(on: Carried.requireLoop(), operation: "waiting for ever") {
        (_: Completion<Void>) in
      }
    }
  }
}
