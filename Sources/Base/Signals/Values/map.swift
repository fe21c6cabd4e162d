// Transforms and filters values.

extension Signal {
  /// Sends the result of `transform` for each value.
  ///
  /// ```
  /// source          1-2-3-|
  /// map { $0 * 2 }  2-4-6-|
  /// ```
  ///
  /// ```swift
  /// thermometer.read(.batteryLevel).map { "\($0) %" }
  /// ```
  @inlinable
  public func map<R: Sendable>(_ transform: @escaping @Sendable (Value) -> R) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in try await sink(transform(value)) }
    }
  }

  /// Sends the result of `transform` for each value; fails when it throws.
  ///
  /// ```
  /// source                1-2-3-|
  /// tryMap (throws at 3)  1-2-X
  /// ```
  ///
  /// An error of `transform` is a failure of this signal, which ``catchError(_:)`` and
  /// ``retry(_:)`` handle. It stops the source.
  ///
  /// ```swift
  /// frames.tryMap { try Reading(parsing: $0) }
  /// ```
  @inlinable
  public func tryMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> R
  ) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in try await sink(try transform(value)) }
    }
  }

  /// Sends the values for which `isIncluded` is true.
  ///
  /// ```
  /// source             1-2-3-4-|
  /// filter { $0 > 2 }  ----3-4-|
  /// ```
  ///
  /// ```swift
  /// levels.filter { $0 < 20 }
  /// ```
  @inlinable
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(home: home) { [body] sink in
      try await body { value in if isIncluded(value) { try await sink(value) } }
    }
  }

  /// Sends the result of `transform` for each value, except nil.
  ///
  /// ```
  /// source                  "1"-"x"-"3"-|
  /// compactMap { Int($0) }  1-------3---|
  /// ```
  ///
  /// ```swift
  /// lines.compactMap { Int($0) }
  /// ```
  @inlinable
  public func compactMap<R: Sendable>(_ transform: @escaping @Sendable (Value) -> R?) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { value in if let new = transform(value) { try await sink(new) } }
    }
  }
}
