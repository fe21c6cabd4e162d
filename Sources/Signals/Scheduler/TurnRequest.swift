// One async turn from its request to its end.

import Synchronization

/// A request for a turn, the work to do in it, and the deadline over both.
///
/// The first cause of ending wins: value, failure, deadline, cancellation. What the work made is the
/// business of whoever asked: nothing here is generic, which keeps a turn cheap.
/// It is what its work carries, the alarm of its deadline, and the goal of the thread that blocks
/// for it: one object for each turn.
final class TurnRequest: Carried, TurnTaker, DriveGoal, @unchecked Sendable {
  // `phase` is protected by `start`; for the rest see `Carried`.

  /// Where the request is before its work runs.
  private enum Phase {
    case asked
    /// The turn has begun, and `ask` has not returned.
    case granted
    /// The work waits in a task of its own for the turn, or for the end of the request.
    case parked(Completion<Void>)
    case over
  }

  let id: UInt64
  private let ownTurn: Turn
  private let operation: String
  private let start = Lock()
  @exclusivity(unchecked) private var phase = Phase.asked
  private let body: nonisolated(nonsending) @Sendable () async throws -> Void
  private let ended: (@Sendable (Result<Void, any Error>) -> Void)?
  private let isOverdue = Atomic(false)

  /// How long after its deadline a caller that blocks waits for the turn's clean-up.
  static let grace = Duration.milliseconds(100)

  /// - Parameters:
  ///   - isOfRun: Whether it stands for a run without a home.
  ///   - operation: What a deadline that passes is reported for.
  ///   - name: What the turn is called.
  ///   - limit: How long the wait for the turn and the work may take together.
  ///   - outer: The surroundings whose deadlines hold as well.
  ///   - ended: Called once, on any thread, with the result. Nil for a thread that drives the loop
  ///     until there is a ``result``.
  init(
    of scheduler: SerialScheduler,
    isOfRun: Bool = false,
    operation: String,
    named name: TurnName,
    within limit: Duration?,
    inside outer: Carried? = nil,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void,
    ended: (@Sendable (Result<Void, any Error>) -> Void)? = nil
  ) {
    id = scheduler.newID()
    ownTurn = Turn(of: scheduler, named: name, isOfRun: isOfRun)
    self.operation = operation
    self.body = body
    self.ended = ended
    super.init(
      loop: scheduler.loop,
      turn: ownTurn,
      limit: limit,
      limitOf: operation,
      inside: outer
    )
  }

  private var scheduler: SerialScheduler { ownTurn.scheduler }

  var name: TurnName { ownTurn.name }

  /// What the turn came to, clean-up included; nil until then.
  var result: Result<Void, any Error>? { ownTurn.result }

  var isReached: Bool { ownTurn.hasEnded || isOverdue.load(ordering: .acquiring) }

  /// Asks for the turn. Called once, by the task or thread whose task-local values the work has.
  func ask() {
    if let instant { loop.arm(self, at: instant) }
    guard scheduler.admit(self) else { return end(.failure(LoopShutDown())) }
    let (isOver, gate): (Bool, Completion<Void>?) = start.whileHeld {
      switch phase {
      case .granted: return (false, nil)
      case .over, .parked: return (true, nil)
      case .asked:
        let gate = Completion<Void>()
        phase = .parked(gate)
        return (false, gate)
      }
    }
    if !isOver { startWork(behind: gate) }
  }

  /// The error of a deadline that has passed, of this request or around it.
  private var timedOut: TimedOut {
    TimedOut(operation: operation, after: limit, limitOf: operation)
  }

  /// The limit has passed.
  override func fire() {
    expire()
    cancel(inVain(timedOut))
    guard let patience else { return }
    loop.at(patience) { [weak self] in self?.runOut() }
  }

  // MARK: A caller that blocks

  /// When a caller that blocks leaves, although the turn has not ended; never in virtual time,
  /// where nobody else would drive the loop on.
  var patience: Instant? {
    guard !loop.isVirtual, ended == nil else { return nil }
    return instant.map { $0 + Self.grace }
  }

  /// The caller has waited long enough.
  func runOut() {
    isOverdue.store(true, ordering: .releasing)
    loop.wakeBlockedFromOutside()
  }

  /// The caller stops waiting.
  ///
  /// - Returns: What it gets; the turn ends behind its back, if it has not ended.
  func leave() -> (any Error)? {
    guard ownTurn.leave() else {
      if case .failure(let error)? = result { return error }
      return nil
    }
    // Somebody has to drive the loop for what is left to do.
    loop.hold()
    expire()
    let cause = inVain(timedOut)
    cancel(cause)
    return cause
  }

  func cancel(_ cause: any Error) {
    if scheduler.withdraw(id) {
      end(.failure(cause))
    } else {
      ownTurn.cancel(cause)
    }
  }

  /// A deadline that passes while the request waits for its turn names who has it.
  private func inVain(_ cause: any Error) -> any Error {
    (cause as? TimedOut)?.waiting(for: scheduler.holder(before: id)) ?? cause
  }

  /// The task that asked is cancelled; a deadline around it is the cause, where one has passed.
  func cancelCaller(carrying carried: Carried?) {
    cancel(inVain(cancellation(of: operation, in: carried)))
  }

  // MARK: The work

  /// The turn has begun.
  func begin() {
    let gate: Completion<Void>? = start.whileHeld {
      defer { phase = .granted }
      if case .parked(let gate) = phase { return gate }
      return nil
    }
    gate?.succeed(())
  }

  /// Starts the work on the loop, with the task-local values of the caller.
  ///
  /// - Parameter gate: What the work waits for first; nil when the turn has begun.
  private func startWork(behind gate: Completion<Void>?) {
    let task = Carried.$current.withValue(self) {
      Task(executorPreference: loop) { [self] in
        if let gate {
          let hasBegun: Void? = try? await withUnsafeThrowingContinuation { gate.install($0) }
          if hasBegun == nil { return }
        }
        await run()
      }
    }
    ownTurn.run(task, carrying: self)
  }

  nonisolated(nonsending)
    private func run() async
  {
    adoptTask()
    defer { leaveTask() }
    var result: Result<Void, any Error>
    do {
      if let cause = ownTurn.cancellationCause { throw cause }
      try await body()
      result = .success(())
    } catch {
      result = .failure(firstCause(error))
    }
    if !ownTurn.close() { result = Self.attach(await ownTurn.finish(), to: result) }
    let next = scheduler.takeNext(after: id)
    end(result)
    next?.begin()
  }

  /// A wait that was merely cancelled does not hide why.
  private func firstCause(_ error: any Error) -> any Error {
    // Asked first because it costs least: most turns end with a consumer that has its value.
    guard !Stopped.isThrown(error), error is CancellationError else { return error }
    return ownTurn.cancellationCause ?? error
  }

  private static func attach(
    _ failures: [CleanUpFailure],
    to result: Result<Void, any Error>
  ) -> Result<Void, any Error> {
    guard !failures.isEmpty else { return result }
    switch result {
    case .success: return .failure(FailedWithCleanUp(cause: nil, cleanUp: failures))
    case .failure(let cause):
      // A consumer that stopped is not a failure: only the clean-up failed.
      let failed = Stopped.isThrown(cause) ? nil : cause
      return .failure(FailedWithCleanUp(cause: failed, cleanUp: failures))
    }
  }

  private func end(_ result: Result<Void, any Error>) {
    loop.disarm(self)
    let gate: Completion<Void>? = start.whileHeld {
      defer { phase = .over }
      if case .parked(let gate) = phase { return gate }
      return nil
    }
    gate?.fail(CancellationError())
    let isLeft = ownTurn.end(result)
    if isLeft {
      loop.letGo()
    } else if let ended {
      ended(result)
    } else {
      loop.wakeBlockedFromOutside()
    }
  }
}
