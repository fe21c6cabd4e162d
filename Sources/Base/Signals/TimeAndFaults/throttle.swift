// Limits the rate of values.

/// The treatment of values that arrive before a throttle's interval has passed.
public enum ThrottledValue: Equatable, Sendable {
  /// They are dropped.
  case first
  /// The latest one is sent at the end of the interval.
  case latest
}

/// Limits the rate. It holds one early value, and one that is ready to send.
struct Throttle<Value: Sendable>: SignalOperator {
  let interval: Duration
  let keeping: ThrottledValue
  private var opensAt: Instant?
  private var early: Value?
  private var ready: Value?

  init(_ interval: Duration, keeping: ThrottledValue) {
    self.interval = interval
    self.keeping = keeping
  }

  mutating func receive(_ value: Value, at now: Instant) {
    if let opensAt, now < opensAt {
      if keeping == .latest { early = value }
    } else {
      send(value, at: now)
    }
  }

  var wakeUp: Instant? { early == nil ? nil : opensAt }

  mutating func wake(at now: Instant) {
    if let early { send(early, at: now) }
  }

  mutating func end(at now: Instant) {
    if let early { send(early, at: now) }
  }

  mutating func next() -> Value? {
    defer { ready = nil }
    return ready
  }

  private mutating func send(_ value: Value, at now: Instant) {
    ready = value
    early = nil
    opensAt = now + interval
  }
}

extension Signal {
  /// Sends a value at once, then at most one in each `interval`.
  ///
  /// ```
  /// source            a-b-c-------d---|
  /// throttle(4)       a---c-------d---|
  /// keeping: .first   a-----------d---|
  /// ```
  ///
  /// With `.latest`, the latest early value is sent at the end of the interval, which starts the
  /// next interval, or when the source ends. The source is never slowed: one value is buffered, and
  /// while the consumer is busy a newer value replaces it.
  ///
  /// ```swift
  /// readings.throttle(.seconds(1))   // for a display
  /// ```
  ///
  /// ReactiveCocoa's `throttle:` is ``debounce(_:)``; ReactiveSwift drops the early value when the
  /// source ends.
  ///
  /// - Parameters:
  ///   - interval: Above zero.
  ///   - keeping: The treatment of values that arrive early.
  public func throttle(_ interval: Duration, keeping: ThrottledValue = .latest) -> Signal {
    precondition(interval > .zero, "an interval must be above zero")
    return through(Throttle(interval, keeping: keeping))
  }
}
