// How what has begun is cancelled by whatever it belongs to.

import Glibc

/// Work that has begun in a turn or on a loop and has not ended.
final class Work: @unchecked Sendable {
  // `isLeft` is protected by the lock of the turn, all else that changes by `state`.
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
    /// How many threads call `cancel` now.
    var callers = 0
  }

  private let cleanUp: Deadline?
  private let scope: ObjectIdentifier?
  /// Whether its consumer has left, and nobody but the turn waits for it.
  @exclusivity(unchecked) var isLeft = false
  private let state = Guarded(State())

  /// - Parameters:
  ///   - cleanUp: The deadline of the clean-up that it is a part of.
  ///   - scope: What it belongs to beside the turn.
  init(_ cleanUp: Deadline? = nil, of scope: TurnScope? = nil) {
    self.cleanUp = cleanUp
    self.scope = scope.map { ObjectIdentifier($0) }
  }

  /// Whether it is a part of a clean-up.
  var isOfCleanUp: Bool { cleanUp != nil }

  /// Whether it is a part of a clean-up that goes on: the turn's end waits for it.
  var isCleanUp: Bool { cleanUp?.isOver == false }

  func belongs(to other: TurnScope) -> Bool { scope == ObjectIdentifier(other) }

  /// Has `cancel` called with the work's cancellation, at once if that has been.
  func attach(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Nobody calls what was attached after this. Never called below `cancel`.
  func detach() {
    while state.withLock({ state in
      state.cancel = nil
      return state.callers > 0
    }) { sched_yield() }
  }

  /// Without the lock: handlers of the cancelled task run in here, and may do anything.
  func cancel() {
    let cancel = state.withLock { state in
      state.isCancelled = true
      if state.cancel != nil { state.callers += 1 }
      return state.cancel
    }
    guard let cancel else { return }
    cancel()
    state.withLock { $0.callers -= 1 }
  }
}
