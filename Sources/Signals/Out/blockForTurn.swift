// Blocking for work in a turn: the four rows of the table in the documentation of `firstOrDefault`.
//
// Nothing here is generic: the value, if any, is the business of the caller.

/// Blocks until `body` has run in a turn of `home`, or in the turn that this thread is in.
///
/// - Parameters:
///   - home: The scheduler; nil for the present turn's, or else one made for this call.
///   - name: What a turn of its own is called.
///
/// At the deadline it returns, in real time also when the turn has not ended: see
/// ``TurnRequest/grace``.
///
/// - Returns: Why it failed; nil on success. The body has ended unless it is ``TimedOut``.
@usableFromInline
func blockForTurn(
  _ home: SerialScheduler?,
  operation: String,
  named name: TurnName,
  within limit: Duration,
  _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
) -> (any Error)? {
  let context = ThreadContext.current
  guard context.running == nil else { return BlockedInsideLoop(operation: operation) }
  if let turn = context.turns.last ?? Carried.current?.turn {
    if home == nil || home === turn.scheduler || turn.isOfRun {
      return turn.block(operation: operation, within: limit, body)
    }
    let wanted = home?.name ?? ""
    if context.turns.contains(where: { $0.scheduler.loop === home?.loop }) {
      let both = "\(operation) on '\(wanted)' inside a turn of '\(turn.scheduler.name)'"
      return BlockedInsideLoop(operation: both)
    }
    return OtherScheduler(operation: operation, present: turn.scheduler.name, wanted: wanted)
  }
  let scheduler = home ?? SerialScheduler(on: EventLoop(), name: "the run")
  return scheduler.block(
    isOfRun: home == nil,
    operation: operation,
    named: name,
    within: limit,
    body
  )
}

extension SerialScheduler {
  /// Blocks for a turn that does `body`, driving the loop meanwhile.
  fileprivate func block(
    isOfRun: Bool,
    operation: String,
    named name: TurnName,
    within limit: Duration,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    let request = TurnRequest(
      of: self,
      isOfRun: isOfRun,
      operation: operation,
      named: name,
      within: limit,
      body
    )
    do {
      try loop.drive(starting: { request.ask() }, until: request)
    } catch {
      request.cancel(error)
      try? loop.drive(until: request)
      return error
    }
    return request.leave()
  }
}

extension Turn {
  /// Blocks for `body` as a part of this turn.
  fileprivate func block(
    operation: String,
    within limit: Duration,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    if let cause = cancellationCause { return cause }
    let entry: UInt64
    do {
      entry = try beginWork(operation, isCovered: false)
    } catch {
      return error
    }
    let work = BlockedWork(of: self, operation: operation, within: limit)
    let carried = work.carried
    let task = Task(executorPreference: carried.loop) { [self] in
      let result: Result<Void, any Error> = await carried.whileBranching {
        do {
          return .success(try await body())
        } catch is CancellationError where carried.isExpired {
          return .failure(work.timedOut)
        } catch is CancellationError {
          return .failure(cancellationCause ?? CancellationError())
        } catch {
          return .failure(error)
        }
      }
      work.end(result)
      endWork(entry)
    }
    attach(task, to: entry)
    let timer = carried.loop.after(limit) {
      carried.expire()
      task.cancel()
      work.waitOn()
    }
    defer { timer.cancel() }
    do {
      try carried.loop.drive(until: work)
    } catch {
      task.cancel()
      try? carried.loop.drive(until: work)
      return error
    }
    switch work.result {
    case .success?: return nil
    case .failure(let error)?: return error
    case nil:
      // It ends behind the caller's back, and before the turn does.
      carried.expire()
      task.cancel()
      return work.timedOut
    }
  }
}

/// What blocking code in a turn waits for.
private final class BlockedWork: DriveGoal {
  private struct State {
    var result: Result<Void, any Error>?
    var isOverdue = false
  }

  let carried: Carried
  private let operation: String
  private let limit: Duration
  private let state = Guarded(State())

  init(of turn: Turn, operation: String, within limit: Duration) {
    carried = Carried(
      loop: turn.scheduler.loop,
      turn: turn,
      limit: limit,
      limitOf: operation,
      inside: Carried.current,
      isBranch: true
    )
    self.operation = operation
    self.limit = limit
  }

  var timedOut: TimedOut { TimedOut(operation: operation, after: limit, limitOf: operation) }

  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  func end(_ result: Result<Void, any Error>) {
    state.withLock { $0.result = result }
    carried.loop.wakeBlockedFromOutside()
  }

  var isReached: Bool { state.withLock { $0.result != nil || $0.isOverdue } }

  var patience: Instant? {
    guard !carried.loop.isVirtual else { return nil }
    return carried.instant.map { $0 + TurnRequest.grace }
  }

  func runOut() {
    state.withLock { $0.isOverdue = true }
    carried.loop.wakeBlockedFromOutside()
  }

  /// The deadline has passed: the clean-up is waited for a moment longer.
  func waitOn() {
    guard let patience else { return }
    carried.loop.at(patience) { [weak self] in self?.runOut() }
  }
}
