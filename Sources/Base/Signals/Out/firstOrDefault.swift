// The first value of a signal, for code that blocks.

extension Signal {
  /// Blocks for the first value.
  ///
  /// Outside a turn it takes one of the signal's home, whose wait counts towards `limit`; inside a
  /// ``SerialScheduler/schedule(named:file:line:_:)`` block it belongs to that turn. Whoever blocks turns the loop.
  ///
  /// It returns when everything that has to be released is, and at the deadline: in real time at
  /// most 0.1 s after `limit`, and the turn then ends behind the caller's back, before the next one
  /// begins. On a virtual loop it drives on until the clean-up is done.
  ///
  /// The bound holds while other work awaits. This thread may turn the loop meanwhile, and so run
  /// closures of other runs: one that blocks the thread, instead of awaiting, is not cut short, and this
  /// call returns after it.
  ///
  /// ```swift
  /// let level = thermometer.session { thermometer.read(.batteryLevel) }
  ///   .firstOrDefault(0, within: .seconds(30))
  /// print(level.value, level.success, level.error as Any)
  /// ```
  ///
  /// - Parameters:
  ///   - fallback: The value when there is none.
  ///   - limit: How long it may take, on the loop's clock.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  /// - Returns: The first value and success; or the default and the reason: the signal's failure,
  ///   ``NoValue`` for an empty completion, ``TimedOut``, the cause of a cancellation,
  ///   ``BlockedInsideLoop`` where blocking could never end, ``OtherScheduler`` inside a turn of
  ///   another scheduler, ``LoopIdle`` when time is virtual and nothing is left that could happen.
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
        if first.value == nil { first.value = value }
        throw Stopped.stopped
      }
    }
    // Only then has the body ended, and may its value be looked at.
    if let failure, !Stopped.isThrown(failure) { return .failure(failure) }
    guard let value = first.value else { return .failure(NoValue(operation: "the signal")) }
    return .success(value)
  }
}

/// What the task of a turn makes for the thread that blocks for it.
@usableFromInline
final class TurnLocal<Value>: @unchecked Sendable {
  // `value` needs no lock: the task writes it, and the other thread reads it once the turn has
  // ended, which it learns under the lock of the turn, and only then.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: sending Value) { self.value = value }
}
