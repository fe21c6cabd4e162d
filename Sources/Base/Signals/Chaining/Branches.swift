// Signals that run concurrently with the operator that started them.
//
// For operators that join several signals, stop one early, or let one run ahead.

/// The concurrent branches of an operator, and the rendezvous through which it receives their
/// events.
///
/// Nothing is buffered: a branch that sends an event waits until the operator has handled it.
/// However the operator ends, its branches have ended before, clean-up included.
final class Branches<Event: Sendable>: Sendable {
  /// An event or the end of a branch, identified by its number.
  enum Step: Sendable {
    case sent(Int, Event)
    case ended(Int, Result<Void, any Error>)
  }

  private struct State {
    var count = 0
    /// The branches whose ends the operator has not received.
    var tasks: [(branch: Int, task: ChildTask)] = []
    /// The failures of branches whose ends the operator has not received, in order.
    var failures: [(branch: Int, error: any Error)] = []
    var stopped: Result<Void, any Error>?
  }

  let loop: Loop
  let streams = StreamsUpstream()
  private let handoff: Handoff<Step>
  private let state = Guarded(State())

  init() throws(NotOnLoop) {
    loop = try Loop.current
    handoff = Handoff(on: loop)
  }

  /// Starts a branch.
  ///
  /// - Parameters:
  ///   - context: The context of the branch; nil inherits that of the calling task.
  ///   - body: The work, which gets its branch.
  /// - Returns: The number of the branch, from 0.
  @discardableResult
  func start(
    in context: TaskContext? = nil, _ body: @escaping @Sendable (Branch) async throws -> Void
  ) -> Int {
    let number = state.withLock { state in
      defer { state.count += 1 }
      return state.count
    }
    let branch = Branch(number: number, handoff: handoff, streams: streams)
    let task = streams.outside {
      ChildTask(on: loop, in: context) { [handoff, streams, state] in
        let result = await ending { try await body(branch) }
        streams.ended(source: number)
        if case .failure(let error) = result {
          state.withLock { $0.failures.append((number, error)) }
        }
        handoff.post(.ended(number, result))
      }
    }
    let isStopped = state.withLock { state in
      state.tasks.append((number, task))
      return state.stopped != nil
    }
    if isStopped { task.cancel() }
    return number
  }

  /// The handle of a branch, for its own work.
  struct Branch: Sendable {
    fileprivate let number: Int
    fileprivate let handoff: Handoff<Step>
    fileprivate let streams: StreamsUpstream

    /// Sends an event, and waits until the operator has handled it.
    func send(_ event: Event) async throws {
      noteStreams()
      try await handoff.send(.sent(number, event))
    }

    /// Marks later output of the operator as nested inside the streams that produced the current
    /// value.
    func noteStreams() { streams.note(source: number) }
  }

  /// Calls `receive` with each step, in order of arrival, until it returns false; then ends the
  /// branches.
  ///
  /// A branch waits until `receive` ends the completion `handled` of its event.
  func pump(_ receive: (Step, _ handled: Completion<Void>) async throws -> Bool) async throws {
    try await endingAll {
      while true {
        let (step, handled) = try await explained { try await handoff.next() }
        if let stopped = state.withLock({ $0.stopped }) {
          handled.fail(CancellationError())
          return try await explained { try stopped.get() }
        }
        if case .ended(let number, _) = step { removeBranch(number) }
        guard try await streams.whileOpen({ try await receive(step, handled) }) else { return }
      }
    }
  }

  /// Runs `sources` concurrently, and passes their values to `sink`, until all have completed.
  ///
  /// - Parameter context: The context of the sources; nil inherits that of the calling task.
  func pump(
    _ sources: [Signal<Event>], in context: TaskContext? = nil, _ sink: (Event) async throws -> Void
  ) async throws {
    var running = Set<Int>()
    for source in sources {
      running.insert(
        start(in: context) { branch in try await source.run { try await branch.send($0) } }
      )
    }
    guard !running.isEmpty else { return }
    try await pump { step, handled in
      switch step {
      case .sent(_, let value):
        try await sink(value)
        handled.succeed(())
      case .ended(let branch, let result):
        guard running.remove(branch) != nil else { break }
        try result.get()
      }
      return !running.isEmpty
    }
  }

  // MARK: Ends

  /// Cancels the branches, drops the events that they have not delivered, and ends the operator
  /// with `result`. Only the first call counts.
  func stop(_ result: Result<Void, any Error>) {
    let tasks = state.withLock { state in
      state.stopped = state.stopped ?? result
      return state.tasks
    }
    // Wakes the operator so that it notices the stop.
    handoff.post(.ended(-1, result))
    for (_, task) in tasks { task.cancel() }
  }

  /// Cancels one branch, and waits for its clean-up.
  func end(_ number: Int) async { await removeBranch(number)?.end() }

  @discardableResult
  private func removeBranch(_ number: Int) -> ChildTask? {
    state.withLock { state in
      state.failures.removeAll { $0.branch == number }
      guard let index = state.tasks.firstIndex(where: { $0.branch == number }) else { return nil }
      return state.tasks.remove(at: index).task
    }
  }

  /// Runs `body`, the work of the operator, then cancels the branches and waits for their clean-up.
  func endingAll(_ body: () async throws -> Void) async throws {
    let result = await ending(body)
    await endAll()
    try result.get()
  }

  private func endAll() async {
    handoff.close()
    let tasks = state.withLock { $0.tasks }
    for (_, task) in tasks { task.cancel() }
    for (_, task) in tasks { await task.ended() }
  }

  /// Runs a wait for the branches. If it times out, throws the error of the branch that took too
  /// long.
  func explained<R>(_ wait: () async throws -> R) async throws -> R {
    do {
      return try await wait()
    } catch let error as TimedOut where error.operation == TimedOut.waiting {
      await endAll()
      throw error.explained(by: state.withLock { $0.failures.map(\.error) })
    }
  }
}

/// The result of `body` as a value.
@usableFromInline
func ending(_ body: () async throws -> Void) async -> Result<Void, any Error> {
  do {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
