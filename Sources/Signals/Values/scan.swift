// Values that depend on those before.

extension Signal {
  /// Sends the running result of `combine` over the values, beginning with `initial`.
  @inlinable
  public func scan<R: Sendable>(
    _ initial: R,
    _ combine: @escaping @Sendable (R, Value) -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      var result = initial
      try await body { value in
        result = combine(result, value)
        try await sink(result)
      }
    }
  }

  /// Collects all values and sends them as one array on completion; an empty one for none.
  ///
  /// - Parameter limit: How many values it holds at most; one more fails with ``BufferOverflow``.
  @inlinable
  public func collect(limit: Int = 100_000_000) -> Signal<[Value]> {
    Signal<[Value]>(home: home) { [body] sink in
      var values: [Value] = []
      try await body { value in
        guard values.count < limit else { throw BufferOverflow(bound: limit) }
        values.append(value)
      }
      try await sink(values)
    }
  }
}

extension Signal where Value: Equatable {
  /// Leaves out values equal to the one before.
  @inlinable
  public func distinctUntilChanged() -> Signal {
    Signal(home: home) { [body] sink in
      var last: Value?
      try await body { value in
        guard value != last else { return }
        last = value
        try await sink(value)
      }
    }
  }
}
