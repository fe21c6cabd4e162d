// The last value before a pause.

/// Detects pauses of the source. It holds the last value, and one that is ready to send.
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
  /// Sends a value once no other has arrived for `pause`.
  ///
  /// ```
  /// source        a-b-------c-d-e---|
  /// debounce(3)   -----b----------e-|
  /// ```
  ///
  /// When the source completes or fails, the last value is sent at once. The source is never
  /// slowed: one value is buffered, and while the consumer is busy a newer value replaces it. With
  /// a source that never pauses, nothing is sent until it ends: use ``throttle(_:keeping:)`` there.
  ///
  /// ```swift
  /// buttonPresses.debounce(.milliseconds(50))
  /// ```
  ///
  /// ReactiveCocoa calls this `throttle:`, and drops the value on failure.
  ///
  /// - Parameter pause: Above zero.
  public func debounce(_ pause: Duration) -> Signal {
    precondition(pause > .zero, "a pause must be above zero")
    return through(Debounce(pause))
  }
}
