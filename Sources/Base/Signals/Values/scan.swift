// Operators that accumulate, collect or compare values.

extension Signal {
  /// Sends the running result of `combine` over the values, starting from `initial`.
  ///
  /// ```
  /// source       1-2-3-|
  /// scan(0, +)   1-3-6-|
  /// ```
  ///
  /// `initial` itself is not sent, as in ReactiveCocoa, ReactiveSwift, Combine and RxSwift.
  /// RxJava's and Kotlin's `scan` send it first: append ``startWith(_:)`` for that.
  ///
  /// ```swift
  /// presses.scan(0) { count, _ in count + 1 }
  /// ```
  @inlinable
  public func scan<R: Sendable>(
    _ initial: R, _ combine: @escaping @Sendable (R, Value) -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      var result = initial
      try await body { value in
        result = combine(result, value)
        try await sink(result)
      }
    }
  }

  /// Sends the result of `combine` over all values, starting from `initial`, on completion.
  ///
  /// ```
  /// source          1-2-3-|
  /// reduce(0, +)    ------6|
  /// ```
  ///
  /// Without a value it sends `initial`. If the source fails, nothing is sent.
  ///
  /// ```swift
  /// readings.take(10).reduce(0) { max($0, $1) }
  /// ```
  @inlinable
  public func reduce<R: Sendable>(
    _ initial: R, _ combine: @escaping @Sendable (R, Value) -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      var result = initial
      try await body { value in result = combine(result, value) }
      try await sink(result)
    }
  }

  /// Sends all values as one array on completion; an empty one without values.
  ///
  /// ```
  /// source      1-2-3-|
  /// collect()   ------[1,2,3]|
  /// ```
  ///
  /// If the source fails, nothing is sent. ``bufferCount(_:)`` and
  /// ``bufferWithTime(_:emptyWindows:bufferLimit:)`` send the values before the failure.
  ///
  /// ```swift
  /// thermometer.notifications(temperature).take(3).collect()
  /// ```
  ///
  /// - Parameter limit: The maximum number of values; with one more it fails with
  ///   ``BufferOverflow``.
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
  /// Skips values equal to the previous one.
  ///
  /// ```
  /// source                   1-1-2-2-1-|
  /// distinctUntilChanged()   1---2---1-|
  /// ```
  ///
  /// ```swift
  /// states.distinctUntilChanged()
  /// ```
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
