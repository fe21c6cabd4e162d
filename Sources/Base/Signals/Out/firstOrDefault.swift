// The first value of a signal, for code that blocks.

extension Signal {
  /// Blocks for the first value.
  ///
  /// Outside a turn it acquires one of the signal's home; the wait for it counts towards `limit`.
  /// Inside a ``SerialScheduler/schedule(named:file:line:_:)`` block it belongs to that turn. The
  /// blocked thread drives the loop.
  ///
  /// It returns after the clean-up, or at the deadline: in real time at most 0.1 s after `limit`.
  /// The turn then ends later, before the next one begins; the result is the one that is known by
  /// then, and the same as with a quick clean-up. On a virtual loop it drives the loop
  /// until the clean-up is done.
  ///
  /// This thread may run closures of other runs meanwhile, because it drives the loop. A closure
  /// that blocks, instead of awaiting, is not interrupted, and delays the return beyond the limit.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(30))
  /// print(level.value, level.success, level.error as Any)
  /// ```
  ///
  /// - Parameters:
  ///   - fallback: The default value.
  ///   - limit: The time limit, on the loop's clock.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  /// - Returns: The first value; or the default value and the failure: that of the signal,
  ///   ``NoValue`` for an empty completion, ``TimedOut``, the cause of a cancellation,
  ///   ``BlockedInsideLoop`` where blocking could never end, ``OtherScheduler`` inside a turn of
  ///   another scheduler, in virtual time ``LoopIdle`` when no event is left.
  @inlinable
  public func firstOrDefault(
    _ fallback: Value, within limit: Duration, file: StaticString = #fileID, line: UInt = #line
  ) -> Outcome<Value> {
    switch blockForFirst(within: limit, "firstOrDefault", file, line) {
    case .success(let value): Outcome(value, error: nil)
    case .failure(let error): Outcome(fallback, error: error)
    }
  }

  /// Blocks for the first value, in a turn.
  @inlinable
  func blockForFirst(
    within limit: Duration, _ operation: String, _ file: StaticString, _ line: UInt
  ) -> Result<Value, any Error> {
    let first = TurnLocal<Value?>(nil)
    let name = TurnName(operation, file, line)
    let failure = blockForTurn(home, operation: operation, named: name, within: limit) {
      try await body { value in
        if first.value == nil {
          first.value = value
          TaskContext.noteValue()
        }
        throw Stopped.stopped
      }
    }
    // Without another failure the body has ended or has stored its value, so that it may be read.
    if let failure, !Stopped.isThrown(failure) { return .failure(failure) }
    guard let value = first.value else { return .failure(NoValue(operation: "the signal")) }
    return .success(value)
  }
}

/// A value that the task of a turn stores for the thread that blocks for it.
@usableFromInline
final class TurnLocal<Value>: @unchecked Sendable {
  // `value` needs no lock: the task writes it once, and the other thread reads it only after that
  // or after the end of the turn, which it learns under the lock of the deadline or of the run.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: sending Value) { self.value = value }
}
