// The latest value at given times.

/// Decides what is sampled. It holds the latest value, and one that is ready.
struct Sample<Value: Sendable>: SignalOperator {
  /// What happens to the source and its trigger.
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
  /// Sends the latest value whenever `trigger` sends one, if there is one that was not sent before.
  ///
  /// ```
  /// source        a-b-----c----------d-|
  /// trigger       ----x-----x----x-----
  /// sample(on:)   ----b-----c----------|
  /// ```
  ///
  /// It completes with the first of the two that completes, and drops the value that was not
  /// sampled; the first failure ends it. Neither is slowed: it holds one value, and while the
  /// consumer is busy a newer sample replaces the one that is ready.
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

  /// Sends the latest value at the end of each `period`, if there is one that was not sent before.
  ///
  /// ```
  /// source             a-b-----c--------d-|
  /// sample(every: 4)   ----b-------c------|
  /// ```
  ///
  /// The times lie on a grid from the start on. Otherwise as ``sample(on:)``.
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
