// One async turn from its request to its end.

/// A request for a turn, the work to do in it, and the deadline over both.
///
/// The first cause of ending wins: value, failure, deadline, cancellation. What the work made is the
/// business of whoever asked: nothing here is generic, which keeps a turn cheap.
final class TurnRequest: TurnTaker {
  private struct State {
    var timer: Timer?
    var result: Result<Void, any Error>?
  }

  let id: UInt64
  private let turn: Turn
  private let scope: DeadlineScope?
  private let operation: String
  private let body: nonisolated(nonsending) @Sendable () async throws -> Void
  private let ended: (@Sendable (Result<Void, any Error>) -> Void)?
  private let state = Guarded(State())

  /// - Parameter ended: Called once, on any thread, with the result. Nil for a thread that drives
  ///   the loop until there is a ``result``.
  init(
    of scheduler: SerialScheduler,
    operation: String,
    within limit: Duration?,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void,
    ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    id = scheduler.newID()
    turn = Turn(of: scheduler)
    scope = limit.map {
      DeadlineScope(limit: $0, on: scheduler.loop, inside: Carried.current?.deadline)
    }
    self.operation = operation
    self.body = body
    self.ended = ended
  }

  private var scheduler: SerialScheduler { turn.scheduler }

  /// What the turn came to, clean-up included; nil until then.
  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  /// Whether there is a result.
  var hasEnded: Bool { state.withLock { $0.result != nil } }

  /// Asks for the turn. Called once.
  func ask() {
    armDeadline()
    if !scheduler.admit(self) { end(.failure(LoopShutDown())) }
  }

  private func armDeadline() {
    guard let scope else { return }
    let armed = scheduler.loop.at(scope.instant) { [self] in
      scope.expire()
      cancel(TimedOut(operation: operation, after: scope.limit))
    }
    state.withLock { $0.timer = armed }
  }

  func cancel(_ cause: any Error) {
    if scheduler.withdraw(id) {
      end(.failure(cause))
    } else {
      turn.cancel(cause)
    }
  }

  /// Starts the work on the loop.
  func begin() {
    let loop = scheduler.loop
    let task = Carried.$current.withValue(Carried(loop: loop, turn: turn, deadline: scope)) {
      Task(executorPreference: loop) { [self] in await run() }
    }
    turn.run(task)
  }

  nonisolated(nonsending)
    private func run() async
  {
    var result: Result<Void, any Error>
    do {
      if let cause = turn.cancellationCause { throw cause }
      try await body()
      result = .success(())
    } catch {
      result = .failure(firstCause(error))
    }
    if !turn.ownsNothing { result = Self.attach(await turn.releaseAll(), to: result) }
    end(result)
    scheduler.turnEnded(id)
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
    let timer = state.withLock { state in
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
    state.withLock { $0.result = result }
    if let ended {
      ended(result)
    } else {
      scheduler.loop.pokeFromOutside()
    }
  }
}
