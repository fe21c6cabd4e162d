// Signals whose events are known when they are made.

extension Signal {
  /// Sends `value` and completes.
  ///
  /// ```
  /// just(1)   1|
  /// ```
  ///
  /// ```swift
  /// thermometer.read(.batteryLevel).catchError { _ in .just(0) }
  /// ```
  @inlinable
  public static func just(_ value: Value) -> Signal {
    Signal(home: nil, .linked(JustLink(value)))
  }

  /// Sends `values` in order and completes.
  ///
  /// ```
  /// values([1, 2, 3])   1-2-3|
  /// ```
  ///
  /// Each value is sent after the consumer has handled the previous one.
  ///
  /// ```swift
  /// Signal.values([thermometer, lamp]).flattenMap { device in
  ///   device.session { device.read(.batteryLevel) }
  /// }
  /// ```
  @inlinable
  public static func values(_ values: some Sequence<Value> & Sendable) -> Signal {
    Signal { sink in for value in values { try await sink(value) } }
  }

  /// Completes without a value.
  ///
  /// ```
  /// empty()   |
  /// ```
  ///
  /// Calls that wait for one value, such as ``firstOrDefault(_:within:file:line:)``, fail with
  /// ``NoValue``.
  ///
  /// ```swift
  /// frames.flattenMap { $0.isComplete ? Signal.just($0.reading) : .empty() }
  /// ```
  @inlinable
  public static func empty() -> Signal {
    Signal { _ in }
  }

  /// Fails with `error`.
  ///
  /// ```
  /// failure(e)   X(e)
  /// ```
  ///
  /// ```swift
  /// thermometer.read(.batteryLevel).flattenMap { level in
  ///   level < 5 ? .failure(BatteryLow(percent: level)) : thermometer.notifications(temperature)
  /// }
  /// ```
  @inlinable
  public static func failure(_ error: any Error) -> Signal {
    Signal { _ in throw error }
  }

  /// Sends nothing, and ends only when it is cancelled.
  ///
  /// ```
  /// never()   ------------
  /// ```
  ///
  /// ```swift
  /// Signal<Int>.never().timeout(.seconds(5), "a value")   // fails after 5 s
  /// ```
  public static func never() -> Signal {
    Signal { _ in
      try await wait(on: Loop.current, operation: "waiting for ever") {
        (_: Completion<Void>) in
      }
    }
  }
}

/// The link of a `just`.
@usableFromInline
final class JustLink<Value: Sendable>: ChainLink<Value>, @unchecked Sendable {
  @usableFromInline let value: Value

  @inlinable
  init(_ value: Value) {
    self.value = value
    super.init()
  }

  @usableFromInline
  override func run(_ sink: (Value) async throws -> Void) async throws { try await sink(value) }
}
