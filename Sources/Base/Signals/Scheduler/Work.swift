// Unfinished work, registered with the turn or the loop that cancels it.

import Glibc

/// A piece of unfinished work that its owner, a turn or a loop, can cancel.
final class Work: @unchecked Sendable {
  // `isAbandoned` is protected by the lock of the turn, everything else that changes by `state`.
  private struct State {
    var cancel: (@Sendable () -> Void)?
    var isCancelled = false
    /// The number of threads that are calling `cancel`.
    var callers = 0
  }

  private let cleanUp: Deadline?
  private let scope: ObjectIdentifier?
  /// Whether its consumer was cancelled, so that only the turn still waits for this work.
  @exclusivity(unchecked) var isAbandoned = false
  private let state = Guarded(State())

  /// - Parameters:
  ///   - cleanUp: The deadline of the clean-up that it is a part of; nil for other work.
  ///   - scope: The scope that cancels it, besides the turn.
  init(_ cleanUp: Deadline? = nil, of scope: TurnScope? = nil) {
    self.cleanUp = cleanUp
    self.scope = scope.map { ObjectIdentifier($0) }
  }

  /// Whether it is a part of a clean-up.
  var isOfCleanUp: Bool { cleanUp != nil }

  /// Whether it is a part of a clean-up that is still running. The end of the turn waits for it
  /// without cancelling it.
  var isCleanUp: Bool { cleanUp?.isOver == false }

  func belongs(to other: TurnScope) -> Bool { scope == ObjectIdentifier(other) }

  /// Registers a cancellation handler; called immediately if the work is already cancelled.
  func onCancel(_ cancel: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      state.cancel = cancel
      return state.isCancelled
    }
    if isCancelled { cancel() }
  }

  /// Removes the handler and waits until no thread is running it. Must not be called from the
  /// handler.
  func removeCancelHandler() {
    while state.withLock({ state in
      state.cancel = nil
      return state.callers > 0
    }) { sched_yield() }
  }

  /// Calls the handler, without the lock: it may run arbitrary cancellation handlers of the task.
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
