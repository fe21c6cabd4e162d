// A signal for each value, run side by side or replaced by the latest.

/// How signals of signals become one.
public enum FlattenStrategy: Equatable, Sendable {
  /// One after the other, in order.
  case concat
  /// Side by side, at most `limit` at a time; values in the order they come.
  case merge(limit: Int)
  /// Only the latest: a new one cancels the one before, and waits for its clean-up.
  case latest
}

extension Signal {
  /// For each value, runs the signal that `transform` returns; `strategy` sets how they overlap.
  ///
  /// ```
  /// source              1---2---------|
  /// .concat             1.a---1.b-2.a---2.b|
  /// .merge(limit: 2)    1.a-2.a-1.b-2.b|
  /// .latest             1.a-2.a---2.b|
  /// ```
  ///
  /// The first failure cancels all signals, waits for their clean-up, and ends the result. The
  /// signals wait while the consumer handles a value of one of them; the source waits while no
  /// further signal may start. Nothing is buffered. Rx calls these `concatMap`, `flatMap` and
  /// `switchMap`; ReactiveSwift has the same strategies.
  ///
  /// ```swift
  /// sensors.flattenMap(.merge(limit: 4)) { $0.read(.batteryLevel) }
  /// ```
  public func flattenMap<R: Sendable>(
    _ strategy: FlattenStrategy,
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    switch strategy {
    case .concat: flattenMap(transform)
    case .merge(let limit): flattened(limit: limit, replacing: false, transform)
    case .latest: flattened(limit: 1, replacing: true, transform)
    }
  }

  private func flattened<R: Sendable>(
    limit: Int,
    replacing: Bool,
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    precondition(limit > 0, "at least one signal has to run")
    return Signal<R>(home: home) { [self] sink in
      let merge = try MergedRun<Value, R>(limit: limit, replacing: replacing, transform)
      merge.start(outer: self)
      do {
        try await merge.pump(sink)
      } catch {
        await merge.cancelAll()
        throw error
      }
    }
  }
}
