// A turn of blocking code, and the handle on it.

/// A turn that was scheduled and may not have begun.
public final class ScheduledTurn: TurnTaker {
  private struct State {
    var body: (@Sendable () -> Void)?
    var hasEnded = false
  }

  let id: UInt64
  private let turn: Turn
  private let state: Guarded<State>

  init(of scheduler: SerialScheduler, _ body: @escaping @Sendable () -> Void) {
    id = scheduler.newID()
    turn = Turn(of: scheduler)
    state = Guarded(State(body: body))
  }

  private var scheduler: SerialScheduler { turn.scheduler }

  /// Asks for the turn. Called once.
  func ask() {
    scheduler.loop.hold()
    if !scheduler.admit(self) { end() }
  }

  func begin() {
    scheduler.loop.runTurn { [self] in
      // It may have been cancelled while it waited for a thread.
      if turn.cancellationCause == nil, let body = state.withLock({ $0.body }) {
        scheduler.runBlocking(turn, body)
      }
      scheduler.turnEnded(id)
      end()
    }
  }

  private func end() {
    scheduler.loop.letGo()
    state.withLock { state in
      state.body = nil
      state.hasEnded = true
    }
    scheduler.loop.wakeBlocked()
  }

  /// Whether the turn has ended, clean-up included, or was cancelled before it began.
  public var isEnded: Bool { state.withLock { $0.hasEnded } }

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
