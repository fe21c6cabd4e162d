// What a way out starts: a task on a loop, with its turn and its deadline.
//
// What may run when: `start` is called once, by whoever starts the run; its body and what ends it run in one
// task on the loop of the run, and so does the timer of its limit. Any thread may cancel it, look whether it
// is reached, and, with `block`, turn the loop until it is.

/// A run with a turn of its own, or a part of the present one, for whoever has started it.
///
/// The first cause of its end wins: value, failure, deadline, cancellation. What the work made is the
/// business of whoever started it: nothing here is generic.
final class StartedRun: DriveGoal {
  private struct State {
    var timer: LoopTimer?
    var result: Result<Void, any Error>?
    /// Whether a thread that blocks has waited long enough.
    var isOverdue = false
  }

  /// What the work inherits.
  let run: Run
  let turn: Turn
  private let operation: String
  /// The deadline of its own.
  private let deadline: Deadline?
  /// Its place in the present turn; nil when it has one of its own.
  private let part: Work?
  private let ended: (@Sendable (Result<Void, any Error>) -> Void)?
  private let state = Guarded(State())

  /// How long after its deadline a caller that blocks waits for clean-up.
  private static let grace = Duration.milliseconds(100)

  /// A run with a turn of its own.
  ///
  /// - Parameters:
  ///   - operation: What a deadline that passes is reported for.
  ///   - name: What the turn is called.
  ///   - limit: How long the wait for the turn and the work may take together.
  ///   - outer: The deadline that holds as well.
  ///   - ended: Called once, on any thread, with the result. Nil for a thread that drives the loop
  ///     until it ``isReached``.
  init(
    _ operation: String, on loop: Loop, _ name: TurnName, within limit: Duration? = nil,
    inside outer: Deadline? = nil, ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    self.operation = operation
    self.ended = ended
    part = nil
    turn = Turn(named: name, on: loop)
    deadline = limit.map { Deadline($0, of: operation, on: loop, inside: outer) }
    run = Run(loop: loop, turn: turn, deadline: deadline ?? outer)
  }

  /// A part of the present run, which ends it at its own end.
  ///
  /// - Parameter limit: How long the work may take; when nil, no deadline holds.
  /// - Throws: ``TurnEnded``.
  init(
    _ operation: String, on loop: Loop, in turn: Turn, of scope: TurnScope? = nil,
    within limit: Duration? = nil, ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) throws(TurnEnded) {
    let here = Run.current
    let work = try turn.begin(operation, in: here, of: scope)
    let deadline = limit.map { Deadline($0, of: operation, on: loop, inside: here?.deadline) }
    self.operation = operation
    self.ended = ended
    self.turn = turn
    self.deadline = deadline
    part = work
    run = Run(loop: loop, turn: turn, deadline: deadline, cleanUp: here?.cleanUp)
  }

  // MARK: From start to end

  /// Starts the work, with the task-local values of the caller. Called once.
  ///
  /// - Parameter home: The scheduler whose turn it takes first.
  func start(
    home: SerialScheduler? = nil,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) {
    run.loop.hold()
    if let deadline {
      let timer = run.loop.after(deadline.limit) { [self] in expire() }
      state.withLock { $0.timer = timer }
    }
    let hasTurn: Bool
    do {
      hasTurn = try home.map { try turn.ask($0, for: operation) } ?? true
    } catch {
      return end(.failure(error))
    }
    let task = Run.$current.withValue(run) {
      Task(executorPreference: run.loop) { [self] in
        var result: Result<Void, any Error>
        do {
          if let home, !hasTurn { try await turn.begun(home, for: operation) }
          if part == nil, let cause = turn.cancellationCause { throw cause }
          try await body()
          result = .success(())
        } catch {
          result = .failure(cause(of: error))
        }
        if let part {
          end(result)
          turn.end(part, result)
        } else {
          await turn.end(result) { end($0) }
        }
      }
    }
    (part ?? turn.main).attach { task.cancel() }
  }

  /// A wait that was merely cancelled does not hide why.
  private func cause(of error: any Error) -> any Error {
    // Asked first because it costs least: most runs end with a consumer that has its value.
    guard !Stopped.isThrown(error), error is CancellationError, part == nil || deadline != nil
    else {
      return error
    }
    return turn.cancellationCause ?? cancellation(of: operation, in: run)
  }

  private func end(_ result: Result<Void, any Error>) {
    let timer = state.withLock { state in
      state.result = result
      // Its callback holds this run.
      defer { state.timer = nil }
      return state.timer
    }
    timer?.cancel()
    if let ended { ended(result) } else { run.loop.wakeBlockedFromOutside() }
    run.loop.letGo()
  }

  // MARK: Cancellation

  /// Ends the work; its clean-up still runs.
  func cancel(_ cause: any Error = CancellationError()) {
    if let part { part.cancel() } else { turn.cancel(cause) }
  }

  /// Ends it for a consumer that has left.
  func abandon() {
    if let part { turn.abandon { $0 === part } } else { cancel() }
  }

  /// The limit has passed.
  private func expire() {
    deadline?.expire()
    cancel(timedOut)
    guard let patience else { return }
    run.loop.at(patience) { [weak self] in self?.runOut() }
  }

  /// The error of a deadline that has passed, which names who has the turn that is waited for.
  private var timedOut: TimedOut {
    TimedOut(operation: operation, after: deadline?.limit, limitOf: operation)
      .waiting(for: part == nil ? turn.scheduler?.holder(before: turn) : nil)
  }

  // MARK: A thread that blocks

  /// What it came to, clean-up included; nil until then.
  var result: Result<Void, any Error>? { state.withLock { $0.result } }

  var isReached: Bool { state.withLock { $0.result != nil || $0.isOverdue } }

  /// When a caller that blocks leaves, although the work has not ended; never in virtual time,
  /// where nobody else would drive the loop on.
  var patience: Instant? {
    guard !run.loop.isVirtual, ended == nil, let deadline else { return nil }
    return deadline.instant + Self.grace
  }

  func runOut() {
    state.withLock { $0.isOverdue = true }
    run.loop.wakeBlockedFromOutside()
  }

  /// Starts the work and blocks for it, driving the loop meanwhile.
  ///
  /// At the deadline it returns, in real time also when the work has not ended: that ends behind the
  /// caller's back, before the turn does.
  ///
  /// - Returns: Why it failed; nil on success. The work has ended unless it is ``TimedOut``.
  func block(
    home: SerialScheduler? = nil,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void
  ) -> (any Error)? {
    do {
      try run.loop.drive(starting: { start(home: home, body) }, until: self)
    } catch {
      cancel(error)
      try? run.loop.drive(until: self)
      return error
    }
    switch result {
    case .success?: return nil
    case .failure(let error)?: return error
    case nil:
      let cause = timedOut
      deadline?.expire()
      cancel(cause)
      return cause
    }
  }
}

extension StartedRun {
  /// Awaits `body` in a run with a turn of its own.
  ///
  /// - Parameters:
  ///   - operation: What a deadline that passes is reported for.
  ///   - home: The scheduler whose turn it takes first.
  ///   - name: What the turn is called.
  static func awaited<R: Sendable>(
    _ operation: String, on loop: Loop, home: SerialScheduler?, _ name: TurnName,
    within limit: Duration?, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    try loop.requireDriver(for: operation, of: home)
    let made = Guarded<R?>(nil)
    let done = Completion<Void>()
    let outer = Run.current
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
      // A deadline around it is the cause, where one has passed.
      let cause = cancellation(of: operation, in: outer)
      let holder = started.turn.scheduler?.holder(before: started.turn)
      started.cancel((cause as? TimedOut)?.waiting(for: holder) ?? cause)
    }
    guard let value = made.withLock({ $0 }) else { throw LoopShutDown() }
    return value
  }
}
