// The scope of an object that lives in a turn and may be used from any task.
//
// A connection of a device has one. The scope knows nothing of devices.

import Synchronization

/// The part of a turn in which an object may be used.
///
/// Work through the scope belongs to the turn, whichever task starts it. An iteration whose
/// consumer was cancelled ends, clean-up included, before the next piece of work begins.
package final class TurnScope: Sendable {
  private let context: TaskContext
  private let turn: Turn
  private let isClosed = Atomic(false)

  /// A scope in the current turn.
  ///
  /// - Throws: ``NotOnLoop`` outside a turn.
  package init() throws(NotOnLoop) {
    guard let context = TaskContext.current, let turn = context.turn else { throw NotOnLoop() }
    self.context = context
    self.turn = turn
  }

  /// Awaits the first value of a signal, as a part of the turn.
  ///
  /// - Parameter operation: The operation in errors: "reading".
  /// - Throws: ``TurnEnded`` when the scope or the turn has ended; ``OtherScheduler`` inside
  ///   another turn; the errors of ``Signal/first(within:file:line:)``.
  package func first<Value: Sendable>(
    of signal: Signal<Value>, _ operation: String
  ) async throws -> Value {
    try await including(operation) { try await signal.first() }
  }

  /// The values of a signal. Each iteration is a part of the turn, and ends with the scope.
  package func values<Value: Sendable>(of signal: Signal<Value>) -> SignalValues<Value> {
    SignalValues(signal: signal, loop: context.loop, scope: self)
  }

  /// Runs `body` in a scope of the current turn, which ends with it.
  ///
  /// - Parameter cleanUp: The clean-up after the end of the scope; returns its failures.
  /// - Throws: ``NotOnLoop`` outside a turn; the error of `body`; ``FailedWithCleanUp``.
  package static func whileOpen<R: Sendable>(
    _ body: (TurnScope) async throws -> R,
    cleanUp: () async -> [CleanUpFailure] = { [] }
  ) async throws -> R {
    let scope = try TurnScope()
    let result: Result<R, any Error>
    do {
      result = .success(try await body(scope))
    } catch {
      result = .failure(error)
    }
    let failures = await scope.end()
    return try await result.adding(failures + cleanUp()).get()
  }

  /// Runs `body` in the context of the turn.
  nonisolated(nonsending)
    func including<R: Sendable>(
      _ operation: String, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R
  {
    if hasEnded { throw turn.turnEndedError(before: operation) }
    guard let other = TaskContext.current?.turn else {
      // A detached task inherits no context.
      return try await TaskContext.$current.withValue(context) { try await body() }
    }
    guard other === turn else {
      throw OtherScheduler(
        operation: operation, present: other.scheduler?.name ?? "the run",
        wanted: turn.scheduler?.name ?? "the run"
      )
    }
    return try await body()
  }

  /// Whether the scope has ended: work through it fails.
  var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

  /// Ends the scope: no work begins any more, and all iterations are cancelled and awaited.
  ///
  /// - Returns: The failed releases, including those of iterations abandoned earlier.
  private func end() async -> [CleanUpFailure] {
    isClosed.store(true, ordering: .releasing)
    turn.abandon { $0.belongs(to: self) }
    guard turn.hasAbandonedWork else { return turn.removeFailures() }
    do {
      let limit = turn.scheduler?.cleanUpLimit ?? .seconds(10)
      try await shielded(on: context.loop, limit: limit) { [turn] in
        try await turn.awaitAbandonedWork()
      }
    } catch {
      return turn.removeFailures() + [
        CleanUpFailure(what: "the values still received", error: error)
      ]
    }
    return turn.removeFailures()
  }
}
