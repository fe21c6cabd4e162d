// Blocking for work in a turn: the four rows of the table in the documentation of `firstOrDefault`.
//
// Nothing here is generic: the value, if any, is the business of the caller.

/// Blocks until `body` has run in a turn of `home`, or in the turn that this thread is in.
///
/// - Parameter home: The scheduler; nil for the present turn's, or else one made for this call.
/// - Returns: Why it failed; nil on success.
@usableFromInline
func blockForTurn(
  _ home: SerialScheduler?,
  operation: String,
  within limit: Duration,
  _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
) -> (any Error)? {
  let context = ThreadContext.current
  guard context.running == nil else { return BlockedInsideLoop(operation: operation) }
  if let turn = context.turns.last, home == nil || home === turn.scheduler {
    return turn.block(operation: operation, within: limit, body)
  }
  let scheduler = home ?? SerialScheduler(on: EventLoop())
  if context.turns.contains(where: { $0.scheduler.loop === scheduler.loop }) {
    return BlockedInsideLoop(operation: operation)
  }
  return scheduler.block(operation: operation, within: limit, body)
}

extension SerialScheduler {
  /// Blocks for a turn that does `body`, turning the loop meanwhile.
  fileprivate func block(
    operation: String,
    within limit: Duration,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    let request = TurnRequest(of: self, operation: operation, within: limit, body)
    do {
      try loop.drive(starting: { request.ask() }, until: request)
    } catch {
      request.cancel(error)
      try? loop.drive(until: request)
      return error
    }
    if case .failure(let error)? = request.result { return error }
    return nil
  }
}

extension Turn {
  /// Blocks for `body` as a part of this turn, whose block is running on this thread.
  fileprivate func block(
    operation: String,
    within limit: Duration,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    if let cause = cancellationCause { return cause }
    let loop = scheduler.loop
    let answer = Guarded<Result<Void, any Error>?>(nil)
    let carried = Carried(loop: loop, turn: self, limit: limit)
    let task = Task(executorPreference: loop) { [self] in
      let result: Result<Void, any Error> = await Carried.$current.withValue(carried) {
        do {
          return .success(try await body())
        } catch is CancellationError where carried.isExpired {
          return .failure(TimedOut(operation: operation, after: limit))
        } catch is CancellationError {
          return .failure(cancellationCause ?? CancellationError())
        } catch {
          return .failure(error)
        }
      }
      answer.withLock { $0 = result }
    }
    let timer = loop.after(limit) {
      carried.expire()
      task.cancel()
    }
    defer { timer.cancel() }
    let entry = beginWork(task)
    defer { endWork(entry) }
    do {
      try loop.drive { answer.withLock { $0 != nil } }
    } catch {
      task.cancel()
      try? loop.drive { answer.withLock { $0 != nil } }
      return error
    }
    if case .failure(let error)? = answer.withLock({ $0 }) { return error }
    return nil
  }
}
