// A signal for each value, run one after another.

extension Signal {
  /// For each value, runs the signal that `transform` returns to its end before the next one
  /// starts.
  ///
  /// ```
  /// source                  1---2---|
  /// flattenMap { n.a n.b }  1.a-1.b-2.a-2.b|
  /// ```
  ///
  /// Use it to chain operations: each step depends on the value of the previous one. The first
  /// failure ends everything. The source waits while the signal of its value runs.
  ///
  /// Other libraries differ: `flattenMap` of ReactiveCocoa and `flatMap` of RxSwift, RxJava and
  /// Combine run the signals concurrently, with their values in order of arrival. That is
  /// ``flattenMap(_:_:)`` with `.merge(limit:)`. This one is Rx's `concatMap`.
  ///
  /// ```swift
  /// thermometer.connect()
  ///   .flattenMap { thermometer.read(.batteryLevel) }
  /// ```
  @inlinable
  public consuming func flattenMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    // Both parts are moved into the result, which saves retaining and releasing them.
    let home = home
    return Signal<R>(home: home, .linked(FlattenMapLink((consume self).work.link(), transform)))
  }

  /// Ignores the values, and runs `next` after completion.
  ///
  /// ```
  /// source   1-2-|
  /// next         x-y-|
  /// then     ----x-y-|
  /// ```
  ///
  /// After a failure, `next` does not run.
  ///
  /// ```swift
  /// lamp.write(.on).then { lamp.read(.state) }
  /// ```
  @inlinable
  public func then<R: Sendable>(_ next: @escaping @Sendable () throws -> Signal<R>) -> Signal<R> {
    Signal<R>(home: home) { [body] sink in
      try await body { _ in }
      try await next().body(sink)
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
  /// `other` does not start earlier, and not at all after a failure.
  ///
  /// ```swift
  /// stored.concat(live)
  /// ```
  @inlinable
  public func concat(_ other: Signal) -> Signal {
    Signal(home: home ?? other.home) { [body] sink in
      try await body(sink)
      try await other.body(sink)
    }
  }

  /// Sends `value`, then the values of this signal.
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
    Signal(home: home) { [body] sink in
      try await sink(value)
      try await body(sink)
    }
  }
}

/// The link of a `flattenMap`.
@usableFromInline
final class FlattenMapLink<Value: Sendable, R: Sendable>: ChainLink<R>, @unchecked Sendable {
  @usableFromInline let source: ChainLink<Value>
  @usableFromInline let transform: @Sendable (Value) throws -> Signal<R>

  @inlinable
  init(_ source: ChainLink<Value>, _ transform: @escaping @Sendable (Value) throws -> Signal<R>) {
    self.source = source
    self.transform = transform
    super.init(length: source.length + 1)
  }

  @usableFromInline
  override func run(_ sink: (R) async throws -> Void) async throws {
    try await source.run { value in try await transform(value).work.link().run(sink) }
  }

  /// Freeing a link frees its source recursively. A long chain is freed in pieces of 1000 links,
  /// each on another thread, so that no stack overflows.
  deinit {
    if length.isMultiple(of: 1000) { _ = startThread("chain") { [source] in _ = source } }
  }
}
