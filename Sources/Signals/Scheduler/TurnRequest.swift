// One async turn from its request to its end.

/// A request for a turn, the work to do in it, and the deadline over both.
///
/// The first cause of ending wins: value, failure, deadline, cancellation. What the work made is the
/// business of whoever asked: nothing here is generic, which keeps a turn cheap.
final class TurnRequest: Sendable {
  private enum Phase {
    case queued
    case running(Task<Void, Never>)
    case ended
  }

  let turn: Turn
  private let id: UInt64
  private let scope: DeadlineScope?
  private let operation: String
  private let body: nonisolated(nonsending) @Sendable () async throws -> Void
  private let ended: @Sendable (Result<Void, any Error>) -> Void
  private let phase = Guarded(Phase.queued)
  private let timer = Guarded<Timer?>(nil)

  init(
    turn: Turn,
    id: UInt64,
    scope: DeadlineScope?,
    operation: String,
    body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    self.turn = turn
    self.id = id
    self.scope = scope
    self.operation = operation
    self.body = body
    self.ended = ended
  }

  private var scheduler: SerialScheduler { turn.scheduler }

  /// Arms the deadline. Called once, before the turn is asked for.
  func armDeadline() {
    guard let scope else { return }
    let armed = scheduler.loop.at(scope.instant) { [self] in
      scope.expire()
      cancel(TimedOut(operation: operation, after: scope.limit))
    }
    timer.withLock { $0 = armed }
  }

  /// Ends the request if it waits, cancels its work if it runs.
  func cancel(_ cause: any Error) {
    if scheduler.withdraw(id) {
      end(.failure(cause))
      return
    }
    turn.cancel(cause)
  }

  /// The scheduler was shut down.
  func refuse() { end(.failure(LoopShutDown())) }

  /// The turn has come: starts the work on the loop.
  func begin() {
    let loop = scheduler.loop
    let carried = Carried(loop: loop, turn: turn, deadline: scope)
    let task = Task(executorPreference: loop) { [self] in
      let result: Result<Void, any Error> = await Carried.$current.withValue(carried) {
        do {
          if let cause = turn.cancellationCause { throw cause }
          return .success(try await body())
        } catch {
          return .failure(firstCause(error))
        }
      }
      let failures = await turn.releaseAll()
      end(Self.attach(failures, to: result))
      scheduler.turnEnded(id)
    }
    phase.withLock { phase in
      if case .queued = phase { phase = .running(task) }
    }
    _ = turn.onCancel { task.cancel() }
  }

  /// A wait that was merely cancelled does not hide why.
  private func firstCause(_ error: any Error) -> any Error {
    guard error is CancellationError, let cause = turn.cancellationCause else { return error }
    return cause
  }

  private static func attach(
    _ failures: [CleanUpFailure],
    to result: Result<Void, any Error>
  ) -> Result<Void, any Error> {
    guard !failures.isEmpty else { return result }
    switch result {
    case .success: return .failure(FailedWithCleanUp(cause: nil, cleanUp: failures))
    case .failure(let cause):
      return .failure(FailedWithCleanUp(cause: cause, cleanUp: failures))
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    timer.withLock { timer in
      defer { timer = nil }
      return timer
    }?.cancel()
    phase.withLock { $0 = .ended }
    ended(result)
  }
}
