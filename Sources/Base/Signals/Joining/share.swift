// One run of a signal, shared by its observers.

/// Decides when the run of a shared signal starts and stops.
struct MulticastRuns: Equatable {
  enum Phase: Equatable {
    case idle
    case running(observers: Int)
    /// The last observer has stopped; the clean-up is running.
    case stopping
    /// Completed, with its last values kept for later observers.
    case completed
  }

  /// The action of a new observer.
  enum Joining: Equatable {
    /// Start a run.
    case start
    /// Observe the present run.
    case join
    /// Wait for the clean-up of the present run, then call `join` again.
    case wait
  }

  /// Whether a completed run is kept for later observers.
  let keepsCompleted: Bool
  private(set) var phase = Phase.idle

  init(keepsCompleted: Bool) { self.keepsCompleted = keepsCompleted }

  mutating func join() -> Joining {
    switch phase {
    case .idle:
      phase = .running(observers: 1)
      return .start
    case .running(let observers):
      phase = .running(observers: observers + 1)
      return .join
    case .stopping: return .wait
    case .completed: return .join
    }
  }

  /// Removes an observer of the present run. Returns whether the run must be stopped.
  mutating func removeObserver() -> Bool {
    guard case .running(let observers) = phase else { return false }
    phase = observers == 1 ? .stopping : .running(observers: observers - 1)
    return observers == 1
  }

  /// Records the end of the present run, clean-up included.
  mutating func ended(completed: Bool) {
    switch phase {
    case .running: phase = completed && keepsCompleted ? .completed : .idle
    case .idle, .stopping, .completed: phase = .idle
    }
  }
}

/// A shared signal and its present run.
private final class MulticastSource<Value: Sendable>: Sendable {
  /// One run: its observers, and the task that feeds them.
  final class Run: Sendable {
    let broadcast: Broadcast<Value>
    let streams = StreamsUpstream()
    let task = Guarded<ChildTask?>(nil)

    init(_ broadcast: Broadcast<Value>) { self.broadcast = broadcast }

    func cancel() { task.withLock { $0 }?.cancel() }
    func ended() async { await task.withLock { $0 }?.ended() }
  }

  private struct State {
    var runs: MulticastRuns
    var run: Run?
  }

  private let source: Signal<Value>
  private let replayCount: Int
  private let bufferLimit: Int
  private let state: Guarded<State>

  init(_ source: Signal<Value>, replaying count: Int, bufferLimit: Int) {
    self.source = source
    replayCount = count
    self.bufferLimit = bufferLimit
    state = Guarded(State(runs: MulticastRuns(keepsCompleted: count > 0)))
  }

  func observe(_ sink: (Value) async throws -> Void) async throws {
    let loop = try Loop.current
    let (run, observer) = try await join(on: loop)
    let result = await ending {
      try await run.broadcast.observe(as: observer, on: loop) { value in
        try await run.streams.whileOpen { try await sink(value) }
      }
    }
    await removeObserver(from: run)
    try result.get()
  }

  private func join(on loop: Loop) async throws -> (Run, Broadcast<Value>.Observer) {
    while true {
      let (joining, run) = state.withLock { state -> (MulticastRuns.Joining, Run) in
        let joining = state.runs.join()
        let run: Run
        if joining != .start, let present = state.run {
          run = present
        } else {
          run = Run(Broadcast(replaying: replayCount, bufferLimit: bufferLimit))
          state.run = run
        }
        return (joining, run)
      }
      switch joining {
      case .start:
        let observer = run.broadcast.addObserver()
        start(run, on: loop)
        return (run, observer)
      case .join: return (run, run.broadcast.addObserver())
      case .wait:
        // Only the end of that run matters here, not its values or its result.
        try? await run.broadcast.observe(as: run.broadcast.addObserver(), on: loop) { _ in }
        try Task.checkCancellation()
      }
    }
  }

  /// Starts a run in the turn of the first observer. The end of that turn ends the run.
  private func start(_ run: Run, on loop: Loop) {
    let here = TaskContext.current
    // A run that has not acquired a turn yet does not own the shared run.
    let turn = here?.turn?.scheduler == nil ? nil : here?.turn
    let work: Work?
    do {
      work = try turn?.begin(Self.operation, in: here)
    } catch {
      return ended(run, .failure(error))
    }
    // The first observer's deadline does not apply: other observers may continue.
    let surroundings = TaskContext(loop: loop, turn: here?.turn, cleanUp: here?.cleanUp)
    loop.hold()
    let task = ChildTask(on: loop, in: surroundings) { [self] in
      var result = await ending {
        try await source.run { value in
          run.streams.note()
          run.broadcast.send(value)
        }
      }
      run.streams.ended()
      if case .failure(is CancellationError) = result, let turn, turn.isEnding {
        result = .failure(turn.turnEndedError(before: Self.operation))
      }
      ended(run, result)
      if let work { turn?.end(work) }
      loop.endHold()
    }
    work?.onCancel { task.cancel() }
    run.task.withLock { $0 = task }
  }

  /// The name of a shared run in errors.
  private static var operation: String { "a shared run" }

  private func ended(_ run: Run, _ result: Result<Void, any Error>) {
    state.withLock { state in
      state.runs.ended(completed: (try? result.get()) != nil)
      if state.runs.phase == .idle { state.run = nil }
    }
    run.broadcast.end(result)
  }

  private func removeObserver(from run: Run) async {
    let stops = state.withLock { $0.run === run && $0.runs.removeObserver() }
    guard stops else { return }
    run.cancel()
    await run.ended()
  }
}

extension Signal {
  /// Shares one run of this signal between all concurrent observers.
  ///
  /// ```
  /// source           1---2---3---4---        (run once)
  /// observer A       1---2---3|
  /// observer B           2---3---4|          the last observer stops the source
  /// ```
  ///
  /// The first observer starts the source; when the last one stops, it stops the source and waits
  /// for its clean-up. A late observer gets only later values. After the end, the next observer
  /// starts the source again; so a failure is not kept, and `retry` works. The source is never
  /// slowed: each observer has a buffer.
  ///
  /// The run belongs to the turn of the observer that starts it, and uses its loop, but not its
  /// deadline. It ends with that turn: observers outside that turn then get the values sent before,
  /// and fail with ``TurnEnded``. A later observer starts another run. A run started outside a turn
  /// lasts as long as it has observers.
  ///
  /// ```
  /// turn 1     A 1-2-3|                         (A starts the source, and stops)
  /// elsewhere     B 2-3-X                       (TurnEnded)
  /// turn 2                 C 1-2-3              (another run)
  /// ```
  ///
  /// ```swift
  /// let readings = thermometer.notifications(temperature).share()
  /// Signal.merge(readings.map { "\($0)" }, readings.bufferCount(10).map { "\($0)" })
  /// ```
  ///
  /// - Parameter bufferLimit: The number of values that may wait for one observer; with one more,
  ///   that observer fails with ``BufferOverflow``.
  public func share(bufferLimit: Int = 65_536) -> Signal {
    multicast(replaying: 0, bufferLimit: bufferLimit)
  }

  /// Shares one run like ``share(bufferLimit:)``; a late observer first gets the last `count`
  /// values.
  ///
  /// ```
  /// source            1---2---3-----|      (run once)
  /// observer A        1---2---3-----|
  /// observer B              2-3-----|      (count 1)
  /// after the end                      3|
  /// ```
  ///
  /// A completed run is kept: later observers get its last values and the completion. A run that
  /// failed, or was stopped with its last observer, is not kept: the next observer starts again.
  ///
  /// ReactiveCocoa's `replay` starts at once and never stops; its `replayLazily` keeps a failure,
  /// so that a later `retry` never repeats the work.
  ///
  /// ```swift
  /// let services = thermometer.connect().then { discover() }.replay(count: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of values to keep, at least 1; the oldest is dropped.
  ///   - bufferLimit: The number of further values that may wait for one observer; with one more,
  ///     that observer fails with ``BufferOverflow``.
  public func replay(count: Int, bufferLimit: Int = 65_536) -> Signal {
    precondition(count > 0, "replay must keep at least one value: use share")
    return multicast(replaying: count, bufferLimit: bufferLimit)
  }

  /// Shares one run like ``replay(count:bufferLimit:)`` with a count of 1.
  ///
  /// ```
  /// source        1---2---3---4-|
  /// observer A    1---2---3---4-|
  /// observer B          2-3---4-|
  /// ```
  ///
  /// ```swift
  /// let temperature = thermometer.notifications(temperature).replayLast()
  /// ```
  ///
  /// Unlike ReactiveCocoa's, it starts with its first observer.
  public func replayLast(bufferLimit: Int = 65_536) -> Signal {
    replay(count: 1, bufferLimit: bufferLimit)
  }

  private func multicast(replaying count: Int, bufferLimit: Int) -> Signal {
    let shared = MulticastSource(self, replaying: count, bufferLimit: bufferLimit)
    return Signal(home: home) { sink in try await shared.observe(sink) }
  }
}
