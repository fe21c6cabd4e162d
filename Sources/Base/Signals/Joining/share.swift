// One run of a signal for all who observe it.

/// Decides when a shared signal is run, joined and stopped.
struct MulticastRuns: Equatable {
  enum Phase: Equatable {
    case idle
    case running(observers: Int)
    /// The last observer has left; the clean-up is under way.
    case stopping
    /// What was sent last is kept.
    case completed
  }

  /// What somebody who begins to observe has to do.
  enum Joining: Equatable {
    case start
    case join
    /// To wait for the clean-up, and to ask again.
    case wait
  }

  /// Whether a completed run is kept for those who come later.
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

  /// Somebody who observed the present run leaves. Returns whether it is to be stopped.
  mutating func leave() -> Bool {
    guard case .running(let observers) = phase else { return false }
    phase = observers == 1 ? .stopping : .running(observers: observers - 1)
    return observers == 1
  }

  /// The present run has ended, clean-up included.
  mutating func ended(completed: Bool) {
    switch phase {
    case .running: phase = completed && keepsCompleted ? .completed : .idle
    case .idle, .stopping, .completed: phase = .idle
    }
  }
}

/// A signal and its present run.
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
    let (run, seat) = try await join(on: loop)
    let result = await ending {
      try await run.broadcast.observe(from: seat, on: loop) { value in
        try await run.streams.whileOpen { try await sink(value) }
      }
    }
    await leave(run)
    try result.get()
  }

  private func join(on loop: Loop) async throws -> (Run, Broadcast<Value>.Seat) {
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
        let seat = run.broadcast.takeSeat()
        start(run, on: loop)
        return (run, seat)
      case .join: return (run, run.broadcast.takeSeat())
      case .wait:
        // What was sent last, and how that run ends, is of no interest: only that it has ended.
        try? await run.broadcast.observe(from: run.broadcast.takeSeat(), on: loop) { _ in }
        try Task.checkCancellation()
      }
    }
  }

  /// Starts a run, in the turn of the observer who starts it: the end of that turn ends it.
  private func start(_ run: Run, on loop: Loop) {
    let here = Signals.Run.current
    // A run that has no turn yet takes one for what it awaits itself.
    let turn = here?.turn?.scheduler == nil ? nil : here?.turn
    let work: Work?
    do {
      work = try turn?.begin(Self.operation, in: here)
    } catch {
      return ended(run, .failure(error))
    }
    // The deadline of the observer who starts it does not count: others may observe on.
    let surroundings = Signals.Run(loop: loop, turn: here?.turn, cleanUp: here?.cleanUp)
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
        result = .failure(turn.ended(before: Self.operation))
      }
      ended(run, result)
      if let work { turn?.end(work) }
      loop.letGo()
    }
    work?.attach { task.cancel() }
    run.task.withLock { $0 = task }
  }

  /// What a run is called in errors.
  private static var operation: String { "a shared run" }

  private func ended(_ run: Run, _ result: Result<Void, any Error>) {
    state.withLock { state in
      state.runs.ended(completed: (try? result.get()) != nil)
      if state.runs.phase == .idle { state.run = nil }
    }
    run.broadcast.end(result)
  }

  private func leave(_ run: Run) async {
    let stops = state.withLock { $0.run === run && $0.runs.leave() }
    guard stops else { return }
    run.cancel()
    await run.ended()
  }
}

extension Signal {
  /// One run of this signal for all who observe at the same time.
  ///
  /// ```
  /// source           1---2---3---4---        (run once)
  /// observer A       1---2---3|
  /// observer B           2---3---4|          the last to leave stops the source
  /// ```
  ///
  /// The first observer starts the source, the last one to leave stops it and waits for its
  /// clean-up. A late observer gets what is sent while it observes. After the end, the next observer
  /// starts the source anew; so a failure is not kept, and `retry` works. It is never slowed: each
  /// observer has a buffer.
  ///
  /// The run belongs to the turn of the observer that starts it, and runs on its loop, without its
  /// deadline. It ends with that turn: who still observes it then, from outside of the turn or from
  /// another one, fails with ``TurnEnded``, once it has taken what was sent before. Who observes
  /// later starts a run of its own. Begun outside of a turn it goes on while somebody observes.
  ///
  /// ```
  /// turn 1     A 1-2-3|                         (A starts the source, and leaves)
  /// elsewhere     B 2-3-X                       (TurnEnded)
  /// turn 2                 C 1-2-3              (a run of its own)
  /// ```
  ///
  /// ```swift
  /// let readings = thermometer.notifications(temperature).share()
  /// Signal.merge(readings.map { "\($0)" }, readings.bufferCount(10).map { "\($0)" })
  /// ```
  ///
  /// - Parameter bufferLimit: How many values may wait for one observer before that observer fails
  ///   with ``BufferOverflow``.
  public func share(bufferLimit: Int = 65_536) -> Signal {
    multicast(replaying: 0, bufferLimit: bufferLimit)
  }

  /// As ``share(bufferLimit:)``, and a late observer first gets the last `count` values.
  ///
  /// ```
  /// source            1---2---3-----|      (run once)
  /// observer A        1---2---3-----|
  /// observer B              2-3-----|      (count 1)
  /// after the end                      3|
  /// ```
  ///
  /// A run that completed is kept: those who come later get its last values and the completion.
  /// One that failed, or that the last observer left, is not: the next observer starts anew.
  ///
  /// ReactiveCocoa's `replay` starts at once and never stops; `replayLazily` keeps a failure, so
  /// that a `retry` behind it never runs the work again.
  ///
  /// ```swift
  /// let services = thermometer.connect().then { discover() }.replay(count: 1)
  /// ```
  ///
  /// - Parameters:
  ///   - count: How many values are kept, at least 1; the oldest makes room for the newest.
  ///   - bufferLimit: How many further values may wait for one observer before that observer fails
  ///     with ``BufferOverflow``.
  public func replay(count: Int, bufferLimit: Int = 65_536) -> Signal {
    precondition(count > 0, "replay must keep at least one value: use share")
    return multicast(replaying: count, bufferLimit: bufferLimit)
  }

  /// As ``replay(count:bufferLimit:)``, for the last value.
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
  /// Unlike ReactiveCocoa's, it starts with its first observer and not at once.
  public func replayLast(bufferLimit: Int = 65_536) -> Signal {
    replay(count: 1, bufferLimit: bufferLimit)
  }

  private func multicast(replaying count: Int, bufferLimit: Int) -> Signal {
    let shared = MulticastSource(self, replaying: count, bufferLimit: bufferLimit)
    return Signal(home: home) { sink in try await shared.observe(sink) }
  }
}
