// The handle on a turn of blocking code.

/// A scheduled turn, which may still be waiting to begin.
public final class ScheduledTurn: Sendable {
  private let started: StartedRun

  init(
    of scheduler: SerialScheduler, named name: TurnName, _ body: @escaping @Sendable () -> Void
  ) {
    let started = StartedRun("schedule", on: scheduler.loop, name)
    self.started = started
    let turn = started.turn
    started.start(home: scheduler) {
      await withTaskExecutorPreference(BlockExecutor(of: turn)) {
        // The turn may have been cancelled while it waited for a thread.
        if turn.cancellationCause == nil { OpenStream.outside(body) }
      }
    }
  }

  /// Whether the turn has ended, clean-up included, or was cancelled before it began.
  public var isEnded: Bool { started.isReached || started.turn.isWithdrawn }

  /// Cancels the waits of the turn. A turn that has not begun never begins.
  public func cancel(_ cause: any Error = CancellationError()) { started.cancel(cause) }

  /// Blocks until the turn has ended, driving the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside a loop or the turn itself; ``LoopIdle`` when time
  ///   is virtual and the turn cannot end.
  public func wait() throws {
    let turn = started.turn
    guard !ThreadContext.current.turns.contains(where: { $0 === turn }) else {
      throw BlockedInsideLoop(operation: "waiting for the present turn")
    }
    try turn.loop.drive(until: started)
  }
}

/// Runs the body of a turn, which may block, outside the jobs of the loop.
private final class BlockExecutor: TaskExecutor {
  private let turn: Turn

  init(of turn: Turn) { self.turn = turn }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    turn.loop.runBlock { [self] in
      let context = ThreadContext.current
      context.turns.append(turn)
      job.runSynchronously(on: asUnownedTaskExecutor())
      context.turns.removeLast()
    }
  }
}
