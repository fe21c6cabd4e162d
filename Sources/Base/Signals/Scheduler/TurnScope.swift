// What lives in a turn and is used from any task: the turn it belongs to, and its iterations.
//
// For objects such as a connection of a device. It knows nothing of devices.

import Synchronization

/// The part of a turn in which an object may be used.
///
/// Work through it belongs to the turn, whichever task asks for it. An iteration whose consumer has
/// left is ended, and its clean-up awaited, before the next piece of work begins.
package final class TurnScope: Sendable {
  private let run: Run
  private let turn: Turn
  private let isClosed = Atomic(false)

  /// A scope in the present turn.
  ///
  /// - Throws: ``NotOnLoop`` outside a turn.
  package init() throws(NotOnLoop) {
    guard let run = Run.current, let turn = run.turn else { throw NotOnLoop() }
    self.run = run
    self.turn = turn
  }

  /// Awaits the first value of a signal, as a part of the turn.
  ///
  /// - Parameter operation: What is done, for the errors: "reading".
  /// - Throws: ``TurnEnded`` when the scope or the turn has ended; ``OtherScheduler`` inside another
  ///   turn; what ``Signal/first(within:file:line:)`` throws.
  package func first<Value: Sendable>(
    of signal: Signal<Value>, _ operation: String
  ) async throws -> Value {
    try await including(operation) { try await signal.first() }
  }

  /// The values of a signal: each iteration is a part of the turn, and known to the scope.
  package func values<Value: Sendable>(of signal: Signal<Value>) -> SignalValues<Value> {
    SignalValues(signal: signal, loop: run.loop, scope: self)
  }

  /// Does `body`, whose work belongs to the turn.
  nonisolated(nonsending)
    func including<R: Sendable>(
      _ operation: String, _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R
  {
    if hasEnded { throw turn.ended(before: operation) }
    guard let other = Run.current?.turn else {
      // A task that inherits nothing: a detached one.
      return try await Run.$current.withValue(run) { try await body() }
    }
    guard other === turn else {
      throw OtherScheduler(
        operation: operation, present: other.scheduler?.name ?? "the run",
        wanted: turn.scheduler?.name ?? "the run"
      )
    }
    return try await body()
  }

  /// Whether a piece of work may not go on.
  var hasEnded: Bool { isClosed.load(ordering: .acquiring) }

  /// Ends the scope: nothing begins any more; all iterations are cancelled and awaited.
  ///
  /// - Returns: What could not be released, also behind consumers that left before.
  package func end() async -> [CleanUpFailure] {
    isClosed.store(true, ordering: .releasing)
    turn.abandon { $0.belongs(to: self) }
    guard !turn.isSettled else { return turn.takeFailures() }
    do {
      let limit = turn.scheduler?.cleanUpLimit ?? .seconds(10)
      try await shielded(on: run.loop, limit: limit) { [turn] in try await turn.settle() }
    } catch {
      return turn.takeFailures() + [CleanUpFailure(what: "the values still received", error: error)]
    }
    return turn.takeFailures()
  }
}
