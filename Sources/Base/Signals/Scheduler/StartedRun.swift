// A run started by `first`, `values`, `observe` and the blocking calls: a task with a turn and a
// deadline.
//
// `start` is called once. The body, the end of the run and its timer run on the loop of the run.
// Any thread may cancel the run, ask whether it has ended, and, with `block`, drive the loop until
// then.

/// A run with a new turn, or a part of the current turn.
///
/// The first cause of its end wins: value, failure, deadline, cancellation. It does not know the
/// value of the work, which the body stores for its starter; so nothing here is generic.
final class StartedRun: DriveGoal {
  private struct State {
    var timer: LoopTimer?
    /// The result of the work, without its clean-up.
    var early: Result<Void, any Error>?
    var result: Result<Void, any Error>?
    /// Whether the blocked caller stops waiting although the work has not ended.
    var isOverdue = false
  }

  /// The context of the work.
  let context: TaskContext
  let turn: Turn
  private let operation: String
  /// The deadline of this run; nil without a limit.
  private let deadline: Deadline?
  /// The entry in the current turn; nil for a run with a new turn.
  private let part: Work?
  private let ended: (@Sendable (Result<Void, any Error>) -> Void)?
  private let state = Guarded(State())

  /// The time after its deadline for which a blocked caller still waits for the clean-up.
  private static let grace = Duration.milliseconds(100)

  /// A run with a new turn.
  ///
  /// - Parameters:
  ///   - operation: The operation in the error of a passed deadline.
  ///   - turn: The new turn.
  ///   - limit: The time limit of the wait for the turn and the work together.
  ///   - outer: The enclosing deadline, which stays in force.
  ///   - ended: Called once, on any thread, with the result. Nil for a caller that drives the loop
  ///     until ``isReached``.
  init(
    _ operation: String, on loop: Loop, with turn: Turn, within limit: Duration? = nil,
    inside outer: Deadline? = nil, ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    self.operation = operation
    self.ended = ended
    self.turn = turn
    part = nil
    deadline = limit.map { Deadline($0, of: operation, on: loop, inside: outer) }
    context = TaskContext(loop: loop, turn: turn, deadline: deadline ?? outer)
  }

  /// A run with a new turn of that name.
  convenience init(
    _ operation: String, on loop: Loop, _ name: TurnName, within limit: Duration? = nil,
    inside outer: Deadline? = nil, ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    let turn = Turn(named: name, on: loop)
    self.init(operation, on: loop, with: turn, within: limit, inside: outer, ended: ended)
  }

  /// A part of the current turn, whose end cancels it and waits for it.
  ///
  /// - Parameter limit: The time limit of the work; nil for no deadline, not even the enclosing
  ///   one.
  /// - Throws: ``TurnEnded``.
  init(
    _ operation: String, on loop: Loop, in turn: Turn, of scope: TurnScope? = nil,
    within limit: Duration? = nil, ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) throws(TurnEnded) {
    let here = TaskContext.current
    let work = try turn.begin(operation, in: here, of: scope)
    let deadline = limit.map { Deadline($0, of: operation, on: loop, inside: here?.deadline) }
    self.operation = operation
    self.ended = ended
    self.turn = turn
    self.deadline = deadline
    part = work
    context = TaskContext(loop: loop, turn: turn, deadline: deadline, cleanUp: here?.cleanUp)
  }

  /// Whether the run has a turn of its own, rather than being a part of one.
  var hasOwnTurn: Bool { part == nil }

  // MARK: From start to end

  /// Starts the work, with the task-local values of the caller. Called once.
  ///
  /// - Parameter home: The scheduler whose turn the run acquires first.
  func start(
    home: SerialScheduler? = nil,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) {
    let home = home.flatMap { $0.takesTurnAtStart ? $0 : nil }
    context.loop.hold()
    if let deadline {
      let timer = context.loop.after(deadline.limit) { [self] in expire() }
      state.withLock { $0.timer = timer }
    }
    let hasTurn: Bool
    do {
      hasTurn = try home.map { try turn.request($0, for: operation) } ?? true
    } catch {
      return end(.failure(error))
    }
    let task = TaskContext.$current.withValue(context) {
      Task(executorPreference: context.loop) { [self] in
        var result: Result<Void, any Error>
        do {
          if let home, !hasTurn { try await turn.awaitTurn(of: home, for: operation) }
          if part == nil, let cause = turn.cancellationCause { throw cause }
          try await body()
          result = .success(())
        } catch {
          result = .failure(cause(of: error))
        }
        state.withLock { $0.early = result }
        if let part {
          end(result)
          turn.end(part, result)
        } else {
          await turn.end(result) { end($0) }
        }
      }
    }
    (part ?? turn.main).onCancel { task.cancel() }
  }

  /// Replaces a plain `CancellationError` by the cause of the cancellation.
  private func cause(of error: any Error) -> any Error {
    // The cheapest check first: most runs end because the consumer has its value.
    guard !Stopped.isThrown(error), error is CancellationError, part == nil || deadline != nil
    else {
      return error
    }
    return turn.cancellationCause ?? cancellation(of: operation, in: context)
  }

  private func end(_ result: Result<Void, any Error>) {
    let timer = state.withLock { state in
      state.result = result
      // The callback of the timer retains this run.
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
    if let ended { ended(result) } else { context.loop.wakeBlockedFromOutside() }
    context.loop.endHold()
  }

  // MARK: Cancellation

  /// Ends the work; its clean-up still runs.
  func cancel(_ cause: any Error = CancellationError()) {
    if let part { part.cancel() } else { turn.cancel(cause) }
  }

  /// Cancels the task of the run. Its turn is cancelled only while the run waits for it: the guests
  /// of a turn that has begun continue in it.
  func cancelTask() {
    if turn.isRequested { cancel() } else { turn.main.cancel() }
  }

  /// Cancels the run on behalf of a consumer that does not wait for its end.
  func abandon() {
    if let part { turn.abandon { $0 === part } } else { cancel() }
  }

  /// Called by the timer when the limit has passed.
  private func expire() {
    deadline?.expire()
    cancel(timedOut)
    guard let waitDeadline else { return }
    context.loop.at(waitDeadline) { [weak self] in self?.waitDeadlinePassed() }
  }

  /// The error of the passed deadline, with the holder of the turn that the run waits for.
  private var timedOut: TimedOut {
    TimedOut(operation: operation, after: deadline?.limit, limitOf: operation)
      .addingHolder(part == nil ? turn.awaitedHolder : nil)
  }

  // MARK: Blocking

  /// The result, clean-up included; nil while the run goes on.
  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  var isReached: Bool { state.withLock { $0.result != nil || $0.isOverdue } }

  /// The instant at which a blocked caller returns although the work has not ended; nil in virtual
  /// time, where no other thread would drive the loop.
  var waitDeadline: Instant? {
    guard !context.loop.isVirtual, ended == nil, let deadline else { return nil }
    return deadline.instant + Self.grace
  }

  func waitDeadlinePassed() {
    state.withLock { $0.isOverdue = true }
    context.loop.wakeBlockedFromOutside()
  }

  /// Starts the work and blocks for it, driving the loop meanwhile.
  ///
  /// In real time it returns at the deadline even if the work has not ended: the work then ends
  /// later, before its turn does.
  ///
  /// - Returns: The failure; nil on success. If the work has not ended, ``TimedOut``, or the failure
  ///   that its clean-up began with, or `Stopped` when the caller has its value.
  func block(
    home: SerialScheduler? = nil,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    do {
      try context.loop.drive(starting: { start(home: home, body) }, until: self)
    } catch {
      cancel(error)
      try? context.loop.drive(until: self)
      return error
    }
    switch result {
    case .success?: return nil
    case .failure(let error)?: return error
    case nil:
      let cause = timedOut
      deadline?.expire()
      cancel(cause)
      switch state.withLock({ $0.early }) {
      case .success?: return nil
      case .failure(let error)?: return error
      case nil: return deadline?.notedFailure ?? cause
      }
    }
  }
}

extension StartedRun {
  /// Runs `body` with a new turn and awaits it.
  ///
  /// - Parameters:
  ///   - operation: The operation in the error of a passed deadline.
  ///   - home: The scheduler whose turn the run acquires first.
  ///   - name: The name of the turn.
  static func awaited<R: Sendable>(
    _ operation: String, on loop: Loop, home: SerialScheduler?, _ name: TurnName,
    within limit: Duration?, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    try loop.requireDriver(for: operation, of: home)
    let made = Guarded<R?>(nil)
    let done = Completion<Void>()
    let outer = TaskContext.current
    let started = StartedRun(operation, on: loop, name, within: limit, inside: outer?.deadline) {
      done.end($0)
    }
    started.start(home: home) {
      let value = try await body()
      made.withLock { $0 = value }
    }
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { done.install($0) }
    } onCancel: {
      // The cause is the enclosing deadline if that has passed.
      let cause = cancellation(of: operation, in: outer)
      let timedOut = (cause as? TimedOut)?.addingHolder(started.turn.awaitedHolder)
      started.cancel(timedOut ?? cause)
    }
    guard let value = made.withLock({ $0 }) else { throw LoopShutDown() }
    return value
  }
}
