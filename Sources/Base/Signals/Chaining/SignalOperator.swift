// Operators whose output depends on order and time, as pure values.
//
// Only the protocol and its front; the shell that runs one is OperatorRun.

/// An operator as a state machine: values and instants go in, values come out.
///
/// It starts no timer and no task, so it can be tested by calling it. ``Signal/through(_:)`` runs
/// it: each run begins with a copy of the value that was given. The source is never slowed, so an
/// operator bounds what it holds: it drops values, or throws an error that names the bound, such as
/// ``BufferOverflow``. An operator that slows its source instead is a function over
/// ``Signal/run(_:)``, as `filter` is.
///
/// ```swift
/// /// Sends how many values arrived in each full period that had one.
/// struct CountPerPeriod<Value: Sendable>: SignalOperator {
///   let period: Duration
///   private var count = 0
///   private var full: [Int] = []
///   private(set) var wakeUp: Instant?
///
///   mutating func receive(_ value: Value, at now: Instant) {
///     count += 1
///     if wakeUp == nil { wakeUp = now + period }
///   }
///
///   mutating func wake(at now: Instant) {
///     full.append(count)
///     (count, wakeUp) = (0, nil)
///   }
///
///   mutating func next() -> Int? { full.isEmpty ? nil : full.removeFirst() }
/// }
/// ```
public protocol SignalOperator<Input, Output>: Sendable {
  /// What arrives.
  associatedtype Input: Sendable
  /// What is sent.
  associatedtype Output: Sendable

  /// The run begins. Does nothing by default.
  mutating func begin(at now: Instant)

  /// A value has arrived.
  ///
  /// - Throws: To fail the run; what is ready by then is sent before.
  mutating func receive(_ value: Input, at now: Instant) throws

  /// When ``wake(at:)`` is to be called; nil for not at all, the default. Read after each call.
  var wakeUp: Instant? { get }

  /// The instant of ``wakeUp`` has come, or has passed. Does nothing by default.
  ///
  /// - Throws: To fail the run; what is ready by then is sent before.
  mutating func wake(at now: Instant) throws

  /// The source has completed or failed. What ``next()`` returns from then on is sent before the
  /// run ends in the same way. Does nothing by default.
  mutating func end(at now: Instant)

  /// Removes and returns the next value to be sent; nil when there is none now. Called when the
  /// consumer is free.
  mutating func next() -> Output?

  /// Whether nothing will be sent any more although the source goes on: the source is then stopped,
  /// and the run completes. False by default.
  var isComplete: Bool { get }
}

extension SignalOperator {
  /// Does nothing.
  public mutating func begin(at now: Instant) {}
  /// Nil: ``wake(at:)`` is not called.
  public var wakeUp: Instant? { nil }
  /// Does nothing.
  public mutating func wake(at now: Instant) throws {}
  /// Does nothing.
  public mutating func end(at now: Instant) {}
  /// False: the run goes on until its source ends.
  public var isComplete: Bool { false }
}

extension Signal {
  /// Sends what `machine` makes of the values.
  ///
  /// ```
  /// source                                 --a-b-----c-----|
  /// through(CountPerPeriod(period: 4))     ------2-------1-|
  /// ```
  ///
  /// The source runs in a task of its own and is never slowed. The values go to the consumer one at
  /// a time. When the source ends, what the machine has ready is sent, then the run completes or
  /// fails in the same way. A cancelled run drops what is ready.
  ///
  /// ```swift
  /// presses.through(CountPerPeriod(period: .seconds(10)))   // the example of SignalOperator
  /// ```
  ///
  /// - Parameter machine: The state to begin each run with.
  public func through<Machine: SignalOperator>(
    _ machine: Machine
  ) -> Signal<Machine.Output> where Machine.Input == Value {
    Signal<Machine.Output>(home: home) { [self] sink in
      try await OperatorRun(of: machine).pump(self, sink)
    }
  }
}
