// At most one value an interval.

/// Which of the values that come too soon a throttle sends later.
public enum ThrottledValue: Equatable, Sendable {
  /// None: what comes too soon is dropped.
  case first
  /// The latest one, at the end of the interval.
  case latest
}

/// Decides what a throttle lets through. It holds one value that is early and one that is ready.
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
  /// With `.latest`, the value that was held back is sent at the end of the interval, which begins
  /// the next one; when the source ends before, it is sent then. The source is never slowed: it
  /// holds one value, and while the consumer is busy a newer value replaces the one that is ready.
  ///
  /// ```swift
  /// readings.throttle(.seconds(1))   // for a display
  /// ```
  ///
  /// ReactiveCocoa's `throttle:` is ``debounce(_:)``; ReactiveSwift drops the value that is held
  /// back when the source ends.
  ///
  /// - Parameters:
  ///   - interval: Above zero.
  ///   - keeping: What becomes of the values that come too soon.
  public func throttle(_ interval: Duration, keeping: ThrottledValue = .latest) -> Signal {
    precondition(interval > .zero, "an interval must be above zero")
    return through(Throttle(interval, keeping: keeping))
  }
}
