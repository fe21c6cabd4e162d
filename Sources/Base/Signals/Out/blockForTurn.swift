// Blocks a thread for work in a turn.
//
// Not generic: the body stores the value, if any, for the caller.

/// Blocks until `body` has run in a new turn of `home`, or in the turn of this thread.
///
/// - Parameters:
///   - home: The scheduler of the turn; nil for that of the current turn, or for none.
///   - name: The name of a new turn.
///
/// - Returns: The failure; nil on success. At the deadline it may return before the clean-up of the
///   body: the failure that the clean-up began with, `Stopped` when the caller has its value, or
///   ``TimedOut``. The body has not ended either when the loop cannot continue: ``LoopIdle``,
///   ``EventLimitReached``.
@usableFromInline
func blockForTurn(
  _ home: SerialScheduler?, operation: String, named name: TurnName, within limit: Duration,
  _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
) -> (any Error)? {
  let context = ThreadContext.current
  guard context.running == nil else { return BlockedInsideLoop(operation: operation) }
  guard let turn = TaskContext.current?.turn else {
    let loop = home?.loop ?? EventLoop()
    return StartedRun(operation, on: loop, name, within: limit).block(home: home, body)
  }
  if let cause = turn.cancellationCause { return cause }
  do {
    try turn.requireHome(home, for: operation)
    let loop = turn.scheduler?.loop ?? turn.loop
    return try StartedRun(operation, on: loop, in: turn, within: limit).block(body)
  } catch let error as OtherScheduler {
    guard context.turns.contains(where: { $0.loop === home?.loop }) else { return error }
    let both = "\(operation) on '\(error.wanted)' inside a turn of '\(error.present)'"
    return BlockedInsideLoop(operation: both)
  } catch {
    return error
  }
}
