// Samples the latest value.

/// Samples the source when the trigger fires. It holds the latest value, and one that is ready to
/// send.
struct Sample<Value: Sendable>: SignalOperator {
  /// An event of the source or its trigger.
  enum Input: Sendable {
    case value(Value)
    case trigger
    /// One of the two has completed.
    case completed
  }

  private var latest: Value?
  private var ready: Value?
  private(set) var isComplete = false

  mutating func receive(_ input: Input, at now: Instant) {
    switch input {
    case .value(let value): latest = value
    case .trigger:
      guard let latest else { return }
      ready = latest
      self.latest = nil
    case .completed: isComplete = true
    }
  }

  mutating func next() -> Value? {
    defer { ready = nil }
    return ready
  }
}

extension Signal {
  /// Sends the latest value whenever `trigger` sends one, if it was not sent before.
  ///
  /// ```
  /// source        a-b-----c----------d-|
  /// trigger       ----x-----x----x-----
  /// sample(on:)   ----b-----c----------|
  /// ```
  ///
  /// It completes when either completes, and drops a value that was not sampled; the first failure
  /// fails it. Neither is slowed: one sample is buffered, and while the consumer is busy a newer
  /// one replaces it.
  ///
  /// ```swift
  /// readings.sample(on: buttonPresses)
  /// ```
  public func sample<Trigger: Sendable>(on trigger: Signal<Trigger>) -> Signal {
    let inputs: [Signal<Sample<Value>.Input>] = [
      map { .value($0) }.concat(.just(.completed)),
      trigger.map { _ in .trigger }.concat(.just(.completed)),
    ]
    return Signal<Sample<Value>.Input>.merge(inputs).through(Sample())
  }

  /// Sends the latest value at the end of each `period`, if it was not sent before.
  ///
  /// ```
  /// source             a-b-----c--------d-|
  /// sample(every: 4)   ----b-------c------|
  /// ```
  ///
  /// The times are multiples of `period` since the start. Otherwise it works like ``sample(on:)``.
  ///
  /// ```swift
  /// readings.sample(every: .seconds(60))
  /// ```
  ///
  /// - Parameter period: Above zero.
  public func sample(every period: Duration) -> Signal {
    sample(on: .interval(period))
  }
}
