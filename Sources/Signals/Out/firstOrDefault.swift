// The first value of a signal, for code that blocks and for code that awaits.

extension Signal {
  /// Blocks for the first value.
  ///
  /// Outside a turn it takes one of the signal's home, whose wait counts towards `limit`; inside a
  /// ``SerialScheduler/schedule(_:)`` block it belongs to that turn. Whoever blocks turns the loop.
  ///
  /// The longest possible block is `limit` plus the clean-up limits: it returns when everything
  /// that has to be released is.
  ///
  /// - Parameters:
  ///   - fallback: The value when there is none.
  ///   - limit: How long it may take, on the loop's clock.
  /// - Returns: The first value and success; or the default and the reason: the signal's failure,
  ///   ``NoValue`` for an empty completion, ``TimedOut``, the cause of a cancellation,
  ///   ``BlockedInsideLoop`` where blocking could never end, ``LoopIdle`` when time is virtual and
  ///   nothing is left that could happen.
  @inlinable
  public func firstOrDefault(_ fallback: Value, within limit: Duration) -> Outcome<Value> {
    let first = TurnLocal<Value?>(nil)
    let failure = blockForTurn(home, operation: "firstOrDefault", within: limit) {
      try await body { value in
        if first.value == nil { first.value = value }
        throw Stopped.stopped
      }
    }
    if let failure, !Stopped.isThrown(failure) { return Outcome(fallback, error: failure) }
    guard let first = first.value else {
      return Outcome(fallback, error: NoValue(operation: "the signal"))
    }
    return Outcome(first, error: nil)
  }

  /// Awaits the first value.
  ///
  /// Outside a turn it takes one of the signal's home; inside one it belongs to it.
  ///
  /// - Throws: The signal's failure, ``NoValue`` for an empty completion, the cause of a
  ///   cancellation.
  public func first(within limit: Duration? = nil) async throws -> Value {
    if Turn.current != nil { return try await limitedFirst(within: limit) }
    let scheduler = home ?? SerialScheduler(on: Carried.current?.loop ?? EventLoop())
    return try await scheduler.turn(within: limit) { try await firstValue() }
  }

  private func limitedFirst(within limit: Duration?) async throws -> Value {
    guard let limit else { return try await firstValue() }
    return try await timeout(limit, "first").firstValue()
  }

  /// Runs until the first value, stops the producer, and waits for its clean-up.
  @inlinable
  nonisolated(nonsending)
    func firstValue() async throws -> Value
  {
    var first: Value?
    do {
      try await body { value in
        if first == nil { first = value }
        throw Stopped.stopped
      }
    } catch  where Stopped.isThrown(error) {}
    guard let first else { throw NoValue(operation: "the signal") }
    return first
  }
}

/// What the task of a turn makes for the thread that blocks for it.
///
/// Without a lock: the task writes it, and the other reads it once the turn has ended, and only
/// then.
@usableFromInline
final class TurnLocal<Value>: @unchecked Sendable {
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable
  init(_ value: sending Value) { self.value = value }
}

extension Loop {
  /// Has blocked threads look again, when the change came from outside the loop.
  func pokeFromOutside() {
    if ThreadContext.current.running !== self { poke() }
  }
}
