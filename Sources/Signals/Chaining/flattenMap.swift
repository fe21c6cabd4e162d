// A signal for each value, run one after the other.

extension Signal {
  /// For each value, runs the signal that `transform` gives, to its end, before the next.
  ///
  /// This is what chains operations: each step is described from the value of the one before. The
  /// first failure ends all. ReactiveCocoa's `flattenMap` merges; see
  /// ``flattenMap(_:_:)`` for that.
  @inlinable
  public func flattenMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in try await transform(value).body(sink) }
    }
  }

  /// Ignores the values; once completed, runs `next`.
  @inlinable
  public func then<R: Sendable>(
    _ next: @escaping @Sendable () throws -> Signal<R>
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { _ in }
      try await next().body(sink)
    }
  }

  /// Once completed, goes on with `other`.
  @inlinable
  public func concat(_ other: Signal) -> Signal {
    Signal(home: home ?? other.home) { [body] sink in
      try await body(sink)
      try await other.body(sink)
    }
  }

  /// Sends `value` first.
  @inlinable
  public func startWith(_ value: Value) -> Signal {
    Signal(home: home) { [body] sink in
      try await sink(value)
      try await body(sink)
    }
  }
}
