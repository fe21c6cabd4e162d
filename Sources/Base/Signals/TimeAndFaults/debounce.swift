// The last value before a pause.

/// Decides when a source has paused. It holds the last value, and one that is ready.
struct Debounce<Value: Sendable>: SignalOperator {
  let pause: Duration
  private var last: Value?
  private var ready: Value?
  private(set) var wakeUp: Instant?

  init(_ pause: Duration) {
    self.pause = pause
  }

  mutating func receive(_ value: Value, at now: Instant) {
    last = value
    wakeUp = now + pause
  }

  mutating func wake(at now: Instant) {
    ready = last
    last = nil
    wakeUp = nil
  }

  mutating func end(at now: Instant) {
    if last != nil { wake(at: now) }
  }

  mutating func next() -> Value? {
    defer { ready = nil }
    return ready
  }
}

extension Signal {
  /// Sends a value once no other has come for `pause`.
  ///
  /// ```
  /// source        a-b-------c-d-e---|
  /// debounce(3)   -----b----------e-|
  /// ```
  ///
  /// The last value is sent at once when the source completes or fails. The source is never slowed:
  /// it holds one value, and while the consumer is busy a newer value replaces the one that is
  /// ready. A source that never pauses sends nothing until it ends: see ``throttle(_:keeping:)``.
  ///
  /// ```swift
  /// buttonPresses.debounce(.milliseconds(50))
  /// ```
  ///
  /// This is what ReactiveCocoa calls `throttle:`, except that it drops the value on failure.
  ///
  /// - Parameter pause: Above zero.
  public func debounce(_ pause: Duration) -> Signal {
    precondition(pause > .zero, "a pause must be above zero")
    return through(Debounce(pause))
  }
}
