// A turn of blocking code, and the handle on it.

/// A turn that was scheduled and may not have begun.
public final class ScheduledTurn: TurnTaker {
  let id: UInt64
  private let turn: Turn
  private let block: ParkedBlock
  private let hasEnded = Guarded(false)

  init(
    of scheduler: SerialScheduler,
    named name: TurnName,
    _ body: @escaping @Sendable () -> Void
  ) {
    id = scheduler.newID()
    let turn = Turn(of: scheduler, named: name)
    self.turn = turn
    // It may have been cancelled while it waited for a thread.
    block = ParkedBlock { if turn.cancellationCause == nil { scheduler.runBlocking(turn, body) } }
  }

  private var scheduler: SerialScheduler { turn.scheduler }

  var name: TurnName { turn.name }

  /// Asks for the turn. Called once.
  func ask() {
    scheduler.loop.hold()
    if !scheduler.admit(self) { end() }
  }

  func begin() {
    scheduler.loop.runTurn { [self] in
      block.run()
      scheduler.turnEnded(id)
      end()
    }
  }

  private func end() {
    scheduler.loop.letGo()
    block.drop()
    hasEnded.withLock { $0 = true }
    scheduler.loop.wakeBlocked()
  }

  /// Whether the turn has ended, clean-up included, or was cancelled before it began.
  public var isEnded: Bool { hasEnded.withLock { $0 } }

  /// Cancels what the turn waits for; a turn that has not begun never does.
  public func cancel(_ cause: any Error = CancellationError()) {
    if scheduler.withdraw(id) {
      end()
    } else {
      turn.cancel(cause)
    }
  }

  /// Blocks until the turn has ended, turning the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside a loop or the turn itself; ``LoopIdle`` when time
  ///   is virtual and the turn cannot end.
  public func wait() throws {
    guard !ThreadContext.current.turns.contains(where: { $0 === turn }) else {
      throw BlockedInsideLoop(operation: "waiting for the present turn")
    }
    try scheduler.loop.drive { [self] in isEnded }
  }
}

/// A block that runs later, on any thread, with the task-local values of whoever made it.
///
/// It is the one job of a task, made at once: the runtime gives the task copies of these values, and
/// there is no other way to keep them. The task never suspends.
private final class ParkedBlock: TaskExecutor {
  private struct State {
    var job: UnownedJob?
    var isDropped = false
  }

  private let state = Guarded(State())

  init(_ block: @escaping @Sendable () -> Void) {
    _ = Task(executorPreference: self) { [state] in
      if !state.withLock({ $0.isDropped }) { block() }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.job = job }
  }

  /// Runs the block, unless it has run or was dropped.
  func run() {
    let job = state.withLock { state in
      defer { state.job = nil }
      return state.job
    }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }

  /// Frees the block, which does not run any more.
  func drop() {
    state.withLock { $0.isDropped = true }
    run()
  }
}
