// Signals that run beside the present task: for operators that join several, stop one, or let one run ahead.

/// The branches of a run, and the meeting point at which the operator takes what they send.
///
/// Nothing is buffered: a branch waits from its event until the operator has dealt with it. Whatever
/// ends the operator, its branches have ended before, clean-up included.
final class Branches<Event: Sendable>: Sendable {
  /// What an operator gets of a branch, which it knows by its number.
  enum Step: Sendable {
    case sent(Int, Event)
    case ended(Int, Result<Void, any Error>)
  }

  private struct State {
    var count = 0
    /// The branches whose ends were not taken yet.
    var tasks: [(branch: Int, task: ChildTask)] = []
    /// How branches failed whose ends were not taken yet, in the order of their ends.
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
  ///   - run: Its surroundings; when nil, those of the present task.
  ///   - body: The work, which knows its branch.
  /// - Returns: Its number: 0 for the first, and so on.
  @discardableResult
  func start(in run: Run? = nil, _ body: @escaping @Sendable (Branch) async throws -> Void) -> Int {
    let number = state.withLock { state in
      defer { state.count += 1 }
      return state.count
    }
    let branch = Branch(number: number, handoff: handoff, streams: streams)
    let task = streams.outside {
      ChildTask(on: loop, in: run) { [handoff, streams, state] in
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

  /// A branch, as its own work sees it.
  struct Branch: Sendable {
    fileprivate let number: Int
    fileprivate let handoff: Handoff<Step>
    fileprivate let streams: StreamsUpstream

    /// Hands on an event, and waits until the operator has dealt with it.
    func send(_ event: Event) async throws {
      noteStreams()
      try await handoff.send(.sent(number, event))
    }

    /// What the operator sends from now on is downstream of the streams that a value came from.
    func noteStreams() { streams.note(source: number) }
  }

  /// Calls `receive` with each step, in the order they come, until it returns false; then ends the
  /// branches.
  ///
  /// A branch waits from its event until `taken`, which comes with it, has been ended.
  func pump(_ receive: (Step, _ taken: Completion<Void>) async throws -> Bool) async throws {
    try await endingAll {
      while true {
        let (step, taken) = try await explained { try await handoff.next() }
        if let stopped = state.withLock({ $0.stopped }) {
          taken.fail(CancellationError())
          return try await explained { try stopped.get() }
        }
        if case .ended(let number, _) = step { forget(number) }
        guard try await streams.whileOpen({ try await receive(step, taken) }) else { return }
      }
    }
  }

  /// Runs `sources` side by side, and gives their values to `sink`, until all of them have completed.
  ///
  /// - Parameter run: Their surroundings; when nil, those of the present task.
  func pump(
    _ sources: [Signal<Event>], in run: Run? = nil, _ sink: (Event) async throws -> Void
  ) async throws {
    var running = Set<Int>()
    for source in sources {
      running.insert(
        start(in: run) { branch in try await source.run { try await branch.send($0) } }
      )
    }
    guard !running.isEmpty else { return }
    try await pump { step, taken in
      switch step {
      case .sent(_, let value):
        try await sink(value)
        taken.succeed(())
      case .ended(let branch, let result):
        guard running.remove(branch) != nil else { break }
        try result.get()
      }
      return !running.isEmpty
    }
  }

  // MARK: Ends

  /// Cancels the branches: what they have not handed on yet is dropped, and the operator ends with
  /// `result`. The first call counts.
  func stop(_ result: Result<Void, any Error>) {
    let tasks = state.withLock { state in
      state.stopped = state.stopped ?? result
      return state.tasks
    }
    // The operator looks up.
    handoff.post(.ended(-1, result))
    for (_, task) in tasks { task.cancel() }
  }

  /// Cancels one branch, and waits for its clean-up.
  func end(_ number: Int) async { await forget(number)?.end() }

  @discardableResult
  private func forget(_ number: Int) -> ChildTask? {
    state.withLock { state in
      state.failures.removeAll { $0.branch == number }
      guard let index = state.tasks.firstIndex(where: { $0.branch == number }) else { return nil }
      return state.tasks.remove(at: index).task
    }
  }

  /// Does `body`, the work of the operator, then cancels the branches and waits for their clean-up.
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

  /// Does `wait`, a wait for something of the branches. Where a deadline ends it, they say what took too
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

/// How `body` ends, as a value.
@usableFromInline
func ending(_ body: () async throws -> Void) async -> Result<Void, any Error> {
  do {
    return .success(try await body())
  } catch {
    return .failure(error)
  }
}
