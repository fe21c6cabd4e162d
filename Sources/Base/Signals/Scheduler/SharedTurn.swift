// The turn of a shared run, in which the runs of its observers take part.
//
// Which signal is shared, and what its observers receive, is MulticastSource's.

/// The turn of a shared run, and the runs that take part in it: its guests.
///
/// The operations of a guest run in this turn, because a guest that waited for a turn of its own
/// would wait for the end of the run that it observes. The turn ends after the shared run and the
/// last guest; the last guest returns only after that end, so that its caller finds the connection
/// down.
final class SharedTurn: Sendable {
  private struct State {
    var guests = 0
    var isRunOver = false
    /// The result of the turn, clean-up included.
    var ending: Result<Void, any Error>?

    /// Whether the turn is ending: no guest may enter any more.
    var isClosed: Bool { ending != nil || isRunOver && guests == 0 }
  }

  let turn: Turn
  private let state = Awaited(State())

  init(_ turn: Turn) { self.turn = turn }

  /// Adds a guest; false if the turn is ending.
  func addGuest() -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.guests += 1
      return true
    }
  }

  /// Removes a guest whose work has ended. The last one waits for the end of the turn.
  ///
  /// - Returns: The failed releases of the turn that has ended.
  func removeGuest() async -> [CleanUpFailure] {
    let isLast = state.change { state in
      state.guests -= 1
      return state.isClosed
    }
    guard isLast else { return [] }
    guard
      case .failure(let error as FailedWithCleanUp) = await state.uninterrupted(until: \.ending)
    else { return [] }
    return error.cleanUp
  }

  /// Records that the shared run has ended, its own clean-up included.
  func runEnded() { state.change { $0.isRunOver = true } }

  /// Waits until all guests have left.
  func awaitGuests() async { await state.uninterrupted { $0.guests == 0 ? () : nil } }

  /// Records the end of the turn.
  func ended(_ result: Result<Void, any Error>) { state.change { $0.ending = result } }
}
