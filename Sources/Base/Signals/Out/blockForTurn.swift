// Blocking for work in a turn of its own, or in the one that the thread is in.
//
// Nothing here is generic: the value, if any, is the business of the caller.

/// Blocks until `body` has run in a turn of `home`, or in the turn that this thread is in.
///
/// - Parameters:
///   - home: The scheduler; nil for the present turn's, or for none.
///   - name: What a turn of its own is called.
///
/// - Returns: Why it failed; nil on success. The body has ended unless it is ``TimedOut``,
///   or the loop cannot go on: ``LoopIdle``, ``EventLimitReached``.
@usableFromInline
func blockForTurn(
  _ home: SerialScheduler?, operation: String, named name: TurnName, within limit: Duration,
  _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
) -> (any Error)? {
  let context = ThreadContext.current
  guard context.running == nil else { return BlockedInsideLoop(operation: operation) }
  guard let turn = Run.current?.turn else {
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
