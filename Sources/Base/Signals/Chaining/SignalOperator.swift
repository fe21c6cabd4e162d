// Operators as pure state machines, for output that depends on order and time.
//
// OperatorRun runs them.

/// An operator as a state machine: values and instants go in, values come out.
///
/// It starts no timer and no task, so a test can simply call it. ``Signal/through(_:)`` runs it;
/// each run begins with a copy of the given value. The source is never slowed, so the operator must
/// bound its buffer: it drops values, or throws an error that names the bound, such as
/// ``BufferOverflow``. An operator that should slow its source is a function over
/// ``Signal/run(_:)`` instead, like `filter`.
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
  /// The values of the source.
  associatedtype Input: Sendable
  /// The values that are sent.
  associatedtype Output: Sendable

  /// Called when the run begins. Does nothing by default.
  mutating func begin(at now: Instant)

  /// Called when a value has arrived.
  ///
  /// - Throws: An error that ends the run, after the output that is ready was sent.
  mutating func receive(_ value: Input, at now: Instant) throws

  /// The instant for the next call of ``wake(at:)``; nil, the default, for none. Read after each
  /// call.
  var wakeUp: Instant? { get }

  /// Called when the instant of ``wakeUp`` has come or passed. Does nothing by default.
  ///
  /// - Throws: An error that ends the run, after the output that is ready was sent.
  mutating func wake(at now: Instant) throws

  /// Called when the source has completed or failed. The output that ``next()`` returns from then
  /// on is sent before the run ends in the same way. Does nothing by default.
  mutating func end(at now: Instant)

  /// Removes and returns the next value to be sent; nil if none is ready. Called when the consumer
  /// is idle.
  mutating func next() -> Output?

  /// Whether no further output will come, although the source has not ended: the source is then
  /// stopped, and the run completes. False by default.
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
  /// Passes the values through `machine`, and sends its output.
  ///
  /// ```
  /// source                                 --a-b-----c-----|
  /// through(CountPerPeriod(period: 4))     ------2-------1-|
  /// ```
  ///
  /// The source runs in its own task and is never slowed. The consumer gets one value at a time.
  /// When the source ends, the remaining output is sent, then the run completes or fails in the
  /// same way. A cancelled run drops the remaining output.
  ///
  /// ```swift
  /// presses.through(CountPerPeriod(period: .seconds(10)))   // the example of SignalOperator
  /// ```
  ///
  /// - Parameter machine: The initial state of each run.
  public func through<Machine: SignalOperator>(
    _ machine: Machine
  ) -> Signal<Machine.Output> where Machine.Input == Value {
    Signal<Machine.Output>(home: home) { [self] sink in
      try await OperatorRun(of: machine).pump(self, sink)
    }
  }
}
