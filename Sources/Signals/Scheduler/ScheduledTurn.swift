// A handle on a turn of blocking code.

/// A turn that was scheduled and may not have begun.
public final class ScheduledTurn: Sendable {
  private let turn: Turn
  private let hasEnded = Guarded(false)
  private let identity = Guarded<UInt64>(0)

  init(turn: Turn) {
    self.turn = turn
  }

  var id: UInt64 {
    get { identity.withLock { $0 } }
    set { identity.withLock { $0 = newValue } }
  }

  func end() {
    hasEnded.withLock { $0 = true }
    turn.scheduler.loop.poke()
  }

  /// Whether the turn has ended, clean-up included, or was cancelled before it began.
  public var isEnded: Bool { hasEnded.withLock { $0 } }

  /// Cancels what the turn waits for; a turn that has not begun never does.
  public func cancel(_ cause: any Error = CancellationError()) {
    turn.scheduler.cancel(id, cause)
  }

  /// Blocks until the turn has ended, turning the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside a loop or the turn itself; ``LoopIdle`` when time
  ///   is virtual and the turn cannot end.
  public func wait() throws {
    guard !ThreadContext.current.turns.contains(where: { $0 === turn }) else {
      throw BlockedInsideLoop(operation: "waiting for the present turn")
    }
    try turn.scheduler.loop.drive { [self] in isEnded }
  }
}

extension SerialScheduler {
  func cancel(_ id: UInt64, _ cause: any Error) {
    cancellation(of: id)?(cause)
  }
}
