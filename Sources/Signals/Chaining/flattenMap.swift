// A signal for each value, run one after the other.

extension Signal {
  /// For each value, runs the signal that `transform` gives, to its end, before the next.
  ///
  /// ```
  /// source                  1---2---|
  /// flattenMap { n.a n.b }  1.a-1.b-2.a-2.b|
  /// ```
  ///
  /// This is what chains operations: each step is described from the value of the one before. The
  /// first failure ends all. The source waits while the signal of its value runs.
  ///
  /// Here the libraries of the field differ: `flattenMap` of ReactiveCocoa and `flatMap` of RxSwift,
  /// RxJava and Combine run the signals side by side, in whichever order their values come. That is
  /// ``flattenMap(_:_:)`` with `.merge(limit:)`. This one is Rx's `concatMap`.
  ///
  /// ```swift
  /// thermometer.connect()
  ///   .flattenMap { thermometer.read(.batteryLevel) }
  /// ```
  @inlinable
  public func flattenMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    Signal<R>(home: home, FlattenMapWork(work, transform))
  }

  /// Ignores the values; once completed, runs `next`.
  ///
  /// ```
  /// source   1-2-|
  /// next         x-y-|
  /// then     ----x-y-|
  /// ```
  ///
  /// A failure ends it without `next`.
  ///
  /// ```swift
  /// lamp.write(.on).then { lamp.read(.state) }
  /// ```
  @inlinable
  public func then<R: Sendable>(
    _ next: @escaping @Sendable () throws -> Signal<R>
  ) -> Signal<R> {
    Signal<R>(home: home) { [work] sink in
      try await work.run { _ in }
      try await next().work.run(sink)
    }
  }

  /// Continues with `other` once this signal has completed.
  ///
  /// ```
  /// source    1-2-|
  /// other         3-4-|
  /// concat    1-2-3-4-|
  /// ```
  ///
  /// `other` does not start earlier; a failure ends the result without `other`.
  ///
  /// ```swift
  /// stored.concat(live)
  /// ```
  @inlinable
  public func concat(_ other: Signal) -> Signal {
    Signal(home: home ?? other.home) { [work] sink in
      try await work.run(sink)
      try await other.work.run(sink)
    }
  }

  /// Sends `value` first.
  ///
  /// ```
  /// source          --1-2-|
  /// startWith(0)    0-1-2-|
  /// ```
  ///
  /// ```swift
  /// presses.scan(0) { count, _ in count + 1 }.startWith(0)
  /// ```
  @inlinable
  public func startWith(_ value: Value) -> Signal {
    Signal(home: home) { [work] sink in
      try await sink(value)
      try await work.run(sink)
    }
  }
}

@usableFromInline
final class FlattenMapWork<Value: Sendable, R: Sendable>: SignalWork<R>, @unchecked Sendable {
  private let source: SignalWork<Value>
  private let transform: @Sendable (Value) throws -> Signal<R>

  @usableFromInline
  init(
    _ source: SignalWork<Value>,
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) {
    self.source = source
    self.transform = transform
  }

  @usableFromInline
  override func run(_ sink: (R) async throws -> Void) async throws {
    try await source.run { value in try await transform(value).work.run(sink) }
  }
}
