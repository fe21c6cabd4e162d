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
  public consuming func flattenMap<R: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Signal<R>
  ) -> Signal<R> {
    // Both parts move into the result: copying them would count references up, and down again.
    let home = home
    return Signal<R>(home: home, .linked(FlattenMapLink((consume self).work.link(), transform)))
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
  /// `other` does not start earlier; a failure ends the result without `other`.
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
    Signal(home: home) { [body] sink in
      try await sink(value)
      try await body(sink)
    }
  }
}

/// A `flattenMap` of a chain.
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

  /// A link frees its source on the same stack, and that its own. A long chain is freed in pieces, each
  /// on the stack of another thread.
  deinit {
    if length.isMultiple(of: 1000) { _ = startThread("chain") { [source] in _ = source } }
  }
}
