// The turn that a run without a home takes of the first operation that it reaches.

/// One request of a run for a turn, which all branches of the run share, and which holds to the
/// run's end.
final class AdoptedTurn: TurnTaker {
  private enum Phase {
    case asked
    case begun
    case ended(any Error)
  }

  private struct State {
    var phase = Phase.asked
    var waiting: [Completion<Void>] = []
  }

  let id: UInt64
  let turn: Turn
  /// What stands for the run; it lets go of this when it ends.
  private let run: Turn
  private let state = Guarded(State())

  init(of scheduler: SerialScheduler, for run: Turn) {
    id = scheduler.newID()
    turn = Turn(of: scheduler, named: run.name)
    self.run = run
  }

  var name: TurnName { turn.name }

  /// The turn, unless it is still being waited for.
  var turnIfBegun: Turn? {
    state.withLock { if case .begun = $0.phase { turn } else { nil } }
  }

  /// Asks for the turn. Called once. The loop is driven until the run ends: whatever the run waits
  /// for happens there.
  func ask() {
    turn.scheduler.loop.hold()
    if !turn.scheduler.admit(self) { fail(LoopShutDown()) }
  }

  func begin() {
    let waiting = state.withLock { state in
      state.phase = .begun
      defer { state.waiting = [] }
      return state.waiting
    }
    for completion in waiting { completion.succeed(()) }
  }

  func cancel(_ cause: any Error) {
    if turn.scheduler.withdraw(id) { fail(cause) }
    run.cancel(cause)
  }

  private func fail(_ error: any Error) {
    let waiting = state.withLock { state in
      state.phase = .ended(error)
      defer { state.waiting = [] }
      return state.waiting
    }
    for completion in waiting { completion.fail(error) }
  }

  /// Waits until the turn has begun.
  ///
  /// - Parameter loop: The loop that the present work runs on.
  nonisolated(nonsending)
    func begun(on loop: Loop) async throws
  {
    if turnIfBegun != nil { return }
    let operation = "waiting for a turn of \(turn.scheduler.name)"
    do {
      try await wait(on: loop, operation: operation) { (done: Completion<Void>) in
        let phase = state.withLock { state in
          if case .asked = state.phase { state.waiting.append(done) }
          return state.phase
        }
        switch phase {
        case .asked: break
        case .begun: done.succeed(())
        case .ended(let error): done.fail(error)
        }
      }
    } catch let error as TimedOut {
      throw error.waiting(for: turn.scheduler.holder(before: id))
    }
  }

  /// The run has ended: releases what the turn owns, and gives it back.
  ///
  /// - Returns: What could not be released.
  nonisolated(nonsending)
    func end() async -> [CleanUpFailure]
  {
    defer { turn.scheduler.loop.letGo() }
    if turn.scheduler.withdraw(id) {
      fail(CancellationError())
      return []
    }
    guard turnIfBegun != nil else { return [] }
    var failures: [CleanUpFailure] = []
    repeat { failures += await turn.releaseAll() } while !turn.close()
    let next = turn.scheduler.takeNext(after: id)
    turn.end(.success(()))
    next?.begin()
    return failures
  }
}
