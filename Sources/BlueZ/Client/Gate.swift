// One at a time, in order of arrival, across suspensions.

import Signals

/// Admits one task at a time to a section of async code.
final class Gate: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [Completion<Void>] = []
  }

  private let state = Guarded(State())

  /// Runs `body` when no other task is inside.
  ///
  /// - Throws: What `body` throws; the errors of a wait, before `body` starts.
  func pass<R>(
    on loop: Loop,
    operation: String,
    _ body: () async throws -> R
  ) async throws -> R {
    try await enter(on: loop, operation: operation)
    defer { leave() }
    return try await body()
  }

  private func enter(on loop: Loop, operation: String) async throws {
    let isFree = state.withLock { state in
      if state.isTaken { return false }
      state.isTaken = true
      return true
    }
    if isFree { return }
    try await wait(on: loop, operation: operation) { (admitted: Completion<Void>) in
      let isFree = state.withLock { state in
        if state.isTaken {
          state.waiting.append(admitted)
          return false
        }
        state.isTaken = true
        return true
      }
      // A waiter that was cancelled in between passes the place on.
      if isFree, !admitted.succeed(()) { leave() }
    }
  }

  private func leave() {
    while true {
      let next: Completion<Void>? = state.withLock { state in
        if state.waiting.isEmpty {
          state.isTaken = false
          return nil
        }
        return state.waiting.removeFirst()
      }
      guard let next else { return }
      if next.succeed(()) { return }
    }
  }
}
