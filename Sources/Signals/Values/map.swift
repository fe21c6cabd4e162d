// One value for another, or none.

extension Signal {
  /// Sends what `transform` makes of each value.
  @inlinable
  public func map<R: Sendable>(
    _ transform: @escaping @Sendable (Value) -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in try await sink(transform(value)) }
    }
  }

  /// Sends what `transform` makes of each value; fails when it throws.
  @inlinable
  public func tryMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in try await sink(try transform(value)) }
    }
  }

  /// Sends the values that pass `isIncluded`.
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(home: home) { [body] sink in
      try await body { value in if isIncluded(value) { try await sink(value) } }
    }
  }

  /// Sends what `transform` makes of each value, where it makes something.
  @inlinable
  public func compactMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) -> R?
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in if let new = transform(value) { try await sink(new) } }
    }
  }
}
