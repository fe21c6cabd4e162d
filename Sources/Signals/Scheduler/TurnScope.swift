// What lives in a turn and is used from any task: the turn it belongs to, and its iterations.
//
// For objects such as a connection of a device. It knows nothing of devices.

/// The part of a turn in which an object may be used.
///
/// Work through it belongs to the turn, whichever task asks for it. An iteration whose consumer has
/// left is ended, and its clean-up awaited, before the next piece of work begins.
package final class TurnScope: Sendable {
  private struct Iteration {
    let id: UInt64
    var cancel: (@Sendable () -> Void)?
    /// Whether the consumer has left: what is to be awaited.
    var isLeft = false
  }

  private struct State {
    var nextID: UInt64 = 0
    var isClosed = false
    var iterations: [Iteration] = []
    var waiting: [Completion<Void>] = []
    var failures: [CleanUpFailure] = []

    var isSettled: Bool { !iterations.contains(where: \.isLeft) }
  }

  private let carried: Carried
  private let turn: Turn
  private let state = Guarded(State())

  /// A scope in the present turn.
  ///
  /// - Throws: ``NotOnLoop`` outside a turn.
  package init() throws(NotOnLoop) {
    guard let carried = Carried.current, let turn = carried.turn else { throw NotOnLoop() }
    self.carried = carried
    self.turn = turn
  }

  // MARK: Work

  /// Awaits the first value of a signal, as a part of the turn.
  ///
  /// - Parameter operation: What is done, for the errors: "reading".
  /// - Throws: ``TurnEnded`` when the scope or the turn has ended; ``OtherScheduler`` inside another
  ///   turn; what ``Signal/first(within:file:line:)`` throws.
  package func first<Value: Sendable>(
    of signal: Signal<Value>,
    _ operation: String
  ) async throws -> Value {
    try await run(operation) {
      try await settled()
      return try await signal.first()
    }
  }

  /// The values of a signal: each iteration is a part of the turn, and known to the scope.
  package func values<Value: Sendable>(of signal: Signal<Value>) -> SignalValues<Value> {
    SignalValues(signal: signal, loop: carried.loop, scope: self)
  }

  /// Runs `body`, whose work belongs to the turn.
  nonisolated(nonsending)
    func run<R: Sendable>(
      _ operation: String,
      _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R
  {
    if state.withLock({ $0.isClosed }) { throw turn.ended(before: operation) }
    let present = Carried.current
    if present?.isCovered != true || present?.turn !== turn {
      try turn.requireOpen(for: operation)
    }
    guard let other = present?.turn else {
      // A task that inherits nothing: a detached one.
      let surroundings = Carried(loop: carried.loop, turn: turn, inside: carried)
      return try await Carried.$current.withValue(surroundings) { try await body() }
    }
    guard other === turn else {
      throw OtherScheduler(
        operation: operation,
        present: other.effectiveScheduler.name,
        wanted: turn.effectiveScheduler.name
      )
    }
    return try await body()
  }

  // MARK: Iterations

  /// An iteration begins.
  ///
  /// - Throws: ``TurnEnded``.
  func begin(_ operation: String) throws(TurnEnded) -> UInt64 {
    let id: UInt64? = state.withLock { state in
      if state.isClosed { return nil }
      state.nextID += 1
      state.iterations.append(Iteration(id: state.nextID))
      return state.nextID
    }
    guard let id else { throw turn.ended(before: operation) }
    return id
  }

  /// Has `cancel` called when the scope ends before the iteration does.
  func attach(_ cancel: @escaping @Sendable () -> Void, to id: UInt64) {
    let isLeft = state.withLock { state in
      guard let index = state.iterations.firstIndex(where: { $0.id == id }) else { return false }
      state.iterations[index].cancel = cancel
      return state.iterations[index].isLeft
    }
    if isLeft { cancel() }
  }

  /// The consumer of an iteration has left.
  func leave(_ id: UInt64) {
    state.withLock { state in
      guard let index = state.iterations.firstIndex(where: { $0.id == id }) else { return }
      state.iterations[index].isLeft = true
    }
  }

  /// An iteration has ended, its clean-up included.
  func end(_ id: UInt64, _ result: Result<Void, any Error>) {
    let waiting = state.withLock { state -> [Completion<Void>] in
      guard let index = state.iterations.firstIndex(where: { $0.id == id }) else { return [] }
      // Nobody else learns of what could not be released behind a consumer that has left.
      if state.iterations.remove(at: index).isLeft,
        case .failure(let error as FailedWithCleanUp) = result
      {
        state.failures += error.cleanUp
      }
      guard state.isSettled else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for completion in waiting { completion.succeed(()) }
  }

  /// Waits until the iterations whose consumers have left have ended.
  nonisolated(nonsending)
    func settled() async throws
  {
    if state.withLock({ $0.isSettled }) { return }
    let operation = "ending an iteration"
    try await wait(on: carried.loop, operation: operation) { (done: Completion<Void>) in
      let isSettled = state.withLock { state in
        if !state.isSettled { state.waiting.append(done) }
        return state.isSettled
      }
      if isSettled { done.succeed(()) }
    }
  }

  // MARK: The end

  /// Why a piece of work may not go on; nil unless the scope has ended.
  func ending(of operation: String) -> TurnEnded? {
    state.withLock { $0.isClosed } ? turn.ended(before: operation) : nil
  }

  /// Ends the scope: nothing begins any more; all iterations are cancelled and awaited.
  ///
  /// - Returns: What could not be released, also behind consumers that left before.
  package func end() async -> [CleanUpFailure] {
    let iterations = state.withLock { state in
      state.isClosed = true
      for index in state.iterations.indices { state.iterations[index].isLeft = true }
      return state.iterations
    }
    for iteration in iterations { iteration.cancel?() }
    var failures: [CleanUpFailure] = []
    if !iterations.isEmpty {
      let limit = turn.effectiveScheduler.cleanUpLimit
      do {
        try await shielded(on: carried.loop, limit: limit) { [self] in try await settled() }
      } catch {
        failures.append(CleanUpFailure(what: "the values still received", error: error))
      }
    }
    return state.withLock { $0.failures } + failures
  }
}
