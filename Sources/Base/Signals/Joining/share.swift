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
  /// The owner of a run: the end of its turn ends the run.
  enum Owner: Sendable {
    /// The loop: its first observer began outside turns.
    case loop
    /// The turn of its first observer.
    case turn(Turn)
    /// A turn of its own, in which its observers take part.
    case shared(SharedTurn)

    var turn: Turn? {
      switch self {
      case .loop: nil
      case .turn(let turn): turn.acting
      case .shared(let shared): shared.turn.acting
      }
    }
  }

  /// One run: its observers, and the task that feeds them.
  final class Run: Sendable {
    /// How far the run has ended: its source, with the clean-up of that; then its own turn.
    enum Stage { case running, sourceEnded, over }

    let broadcast: Broadcast<Value>
    let owner: Owner
    let streams = StreamsUpstream()
    let stage = Awaited(Stage.running)
    let cancellation = Work()

    init(_ broadcast: Broadcast<Value>, of owner: Owner) {
      self.broadcast = broadcast
      self.owner = owner
    }

    /// Whether an observer with that turn need not wait for this stopped run any more. One that
    /// takes part in its turn does not wait for the end of that turn.
    func isOver(for present: Turn?) -> Bool {
      switch stage.withLock({ $0 }) {
      case .running: false
      case .sourceEnded: present != nil && owner.turn === present
      case .over: true
      }
    }

    /// Cancels the source and waits for its clean-up.
    func end() async {
      cancellation.cancel()
      await stage.uninterrupted { $0 == .running ? nil : () }
    }
  }

  /// The action of a new observer.
  private enum Joining {
    case run(MulticastRuns.Joining, Run)
    /// Run the source for this observer alone.
    case alone
  }

  private struct State {
    var runs: MulticastRuns
    var run: Run?
  }

  private let source: Signal<Value>
  private let name: TurnName
  private let replayCount: Int
  private let bufferLimit: Int
  private let state: Guarded<State>

  init(
    _ source: Signal<Value>, named name: TurnName, replaying count: Int, bufferLimit: Int
  ) {
    self.source = source
    self.name = name
    replayCount = count
    self.bufferLimit = bufferLimit
    state = Guarded(State(runs: MulticastRuns(keepsCompleted: count > 0)))
  }

  func observe(_ sink: (Value) async throws -> Void) async throws {
    let loop = try Loop.current
    guard let (run, observer) = try await join(on: loop) else { return try await source.run(sink) }
    var result = await ending {
      try await run.broadcast.observe(as: observer, on: loop) { value in
        try await run.streams.whileOpen { try await sink(value) }
      }
    }
    if case .failure(let error as TimedOut) = result, case .shared(let shared) = run.owner {
      result = .failure(error.addingHolder(shared.turn.awaitedHolder))
    }
    await removeObserver(from: run)
    try result.get()
  }

  // MARK: Joining

  /// Joins the run under way, or starts one.
  ///
  /// - Returns: Nil if this observer must run the source for itself: the turn that it has is the one
  ///   that the run under way waits for.
  private func join(on loop: Loop) async throws -> (Run, Broadcast<Value>.Observer)? {
    let here = TaskContext.current
    let turn = here?.turn
    while true {
      let present = turn.flatMap { $0.hasTurn ? $0.acting : nil }
      let joining = state.withLock { state -> Joining in
        if let run = state.run, run.isOver(for: present), state.runs.phase == .stopping {
          state.runs.ended(completed: false)
          state.run = nil
        }
        let isRunning = if case .running = state.runs.phase { true } else { false }
        if isRunning, let other = state.run?.owner.turn, let present, other !== present,
          let wanted = other.scheduler, wanted === present.scheduler
        {
          return .alone
        }
        let joining = state.runs.join()
        if joining != .start, let run = state.run { return .run(joining, run) }
        let owner: Owner =
          if let present {
            .turn(present)
          } else if turn != nil {
            .shared(SharedTurn(Turn(named: name, on: loop)))
          } else {
            .loop
          }
        let run = Run(Broadcast(replaying: replayCount, bufferLimit: bufferLimit), of: owner)
        state.run = run
        return .run(.start, run)
      }
      switch joining {
      case .alone: return nil
      case .run(.start, let run):
        let observer = run.broadcast.addObserver()
        join(run, turn)
        start(run, on: loop)
        return (run, observer)
      case .run(.join, let run):
        join(run, turn)
        return (run, run.broadcast.addObserver())
      case .run(.wait, let run):
        try await run.stage.until("waiting for the end of a shared run", on: loop) { _ in
          run.isOver(for: present) ? () : nil
        }
      }
    }
  }

  private func join(_ run: Run, _ turn: Turn?) {
    guard case .shared(let shared) = run.owner else { return }
    turn?.join(shared)
  }

  // MARK: The run

  private func start(_ run: Run, on loop: Loop) {
    switch run.owner {
    case .loop: start(run, in: nil, on: loop)
    case .turn(let turn): start(run, in: turn, on: loop)
    case .shared(let shared): start(run, with: shared, on: loop)
    }
  }

  /// Starts a run in the turn of the first observer. The end of that turn ends the run.
  private func start(_ run: Run, in turn: Turn?, on loop: Loop) {
    let here = TaskContext.current
    let work: Work?
    do {
      work = try turn?.begin(Self.operation, in: here)
    } catch {
      return sourceEnded(run, .failure(error))
    }
    // The first observer's deadline does not apply: other observers may continue.
    let surroundings = TaskContext(loop: loop, turn: turn, cleanUp: here?.cleanUp)
    loop.hold()
    let task = ChildTask(on: loop, in: surroundings) { [self] in
      var result = await runSource(for: run)
      if case .failure(is CancellationError) = result, let turn, turn.isEnding {
        result = .failure(turn.turnEndedError(before: Self.operation))
      }
      sourceEnded(run, result)
      if let work { turn?.end(work) }
      loop.endHold()
    }
    work?.onCancel { task.cancel() }
    run.cancellation.onCancel { task.cancel() }
  }

  /// Starts a run with a turn of its own, which lasts until its observers have ended, too.
  private func start(_ run: Run, with shared: SharedTurn, on loop: Loop) {
    let started = StartedRun(Self.operation, on: loop, with: shared.turn) { [self] result in
      sourceEnded(run, result)
      turnEnded(run, shared, result)
    }
    // The turn remains usable: an observer that takes part in it may observe again.
    run.cancellation.onCancel { started.cancelTask() }
    // On another loop it is the operations that acquire the turn, and check the loop.
    started.start(home: source.home?.loop === loop ? source.home : nil) { [self] in
      var result = await runSource(for: run)
      if case .failure(is CancellationError) = result, let cause = shared.turn.cancellationCause {
        result = .failure(cause)
      }
      sourceEnded(run, result)
      await shared.awaitGuests()
      try result.get()
    }
  }

  private func runSource(for run: Run) async -> Result<Void, any Error> {
    let result = await ending {
      try await source.run { value in
        run.streams.note()
        run.broadcast.send(value)
      }
    }
    run.streams.ended()
    return result
  }

  /// The name of a shared run in errors.
  private static var operation: String { "a shared run" }

  /// Ends the observers of a run whose source has ended. Only the first call counts.
  private func sourceEnded(_ run: Run, _ result: Result<Void, any Error>) {
    guard run.stage.withLock({ $0 }) == .running else { return }
    let shared: SharedTurn? = if case .shared(let shared) = run.owner { shared } else { nil }
    shared?.runEnded()
    state.withLock { state in
      // A run that was stopped is waited for until its turn has ended.
      if shared != nil, state.runs.phase == .stopping { return }
      state.runs.ended(completed: (try? result.get()) != nil)
      if state.runs.phase == .idle { state.run = nil }
    }
    run.stage.withLock { $0 = shared == nil ? .over : .sourceEnded }
    run.broadcast.end(result)
    run.stage.announce()
  }

  /// Lets the next run begin, now that the turn of a stopped one has ended.
  private func turnEnded(_ run: Run, _ shared: SharedTurn, _ result: Result<Void, any Error>) {
    shared.ended(result)
    state.withLock { state in
      guard state.run === run, state.runs.phase == .stopping else { return }
      state.runs.ended(completed: false)
      state.run = nil
    }
    run.stage.change { $0 = .over }
    // It retains the run.
    run.cancellation.removeCancelHandler()
  }

  private func removeObserver(from run: Run) async {
    let stops = state.withLock { $0.run === run && $0.runs.removeObserver() }
    if stops { await run.end() }
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
  /// An observer that has no turn joins the run under way, also from another task: the first one
  /// starts it with a turn of its own, all observers take part in that turn, and the turn ends with
  /// the last of them.
  ///
  /// ```
  /// task 1     A 1-2-3|                         (starts the run, and stops)
  /// task 2           B 3-4-5|                   (joins it; disconnects at its end)
  /// task 3                   C 1-2-3            (another run)
  /// ```
  ///
  /// In a turn, as in `withConnection`, the run belongs to that turn and ends with it: observers
  /// elsewhere then get the values sent before, and fail with ``TurnEnded``. A run that
  /// ``observe(on:file:line:_:)`` starts outside turns has none. The deadline of the observer that
  /// starts a run does not apply to it.
  ///
  /// ```swift
  /// let temperatures = thermometer.session { thermometer.notifications(temperature) }.share()
  /// async let first = temperatures.take(3).collect().first(within: .seconds(30))
  /// async let last = temperatures.take(9).collect().first(within: .seconds(60))
  /// ```
  ///
  /// ```swift
  /// let readings = thermometer.notifications(temperature).share()
  /// Signal.merge(readings.map { "\($0)" }, readings.bufferCount(10).map { "\($0)" })
  /// ```
  ///
  /// - Parameters:
  ///   - bufferLimit: The number of values that may wait for one observer; with one more, that
  ///   observer fails with ``BufferOverflow``.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  public func share(
    bufferLimit: Int = 65_536, file: StaticString = #fileID, line: UInt = #line
  ) -> Signal {
    multicast(TurnName("share", file, line), replaying: 0, bufferLimit: bufferLimit)
  }

  /// Shares one run like ``share(bufferLimit:file:line:)``; a late observer first gets the last `count`
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
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  public func replay(
    count: Int, bufferLimit: Int = 65_536, file: StaticString = #fileID, line: UInt = #line
  ) -> Signal {
    precondition(count > 0, "replay must keep at least one value: use share")
    return multicast(TurnName("replay", file, line), replaying: count, bufferLimit: bufferLimit)
  }

  /// Shares one run like ``replay(count:bufferLimit:file:line:)`` with a count of 1.
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
  public func replayLast(
    bufferLimit: Int = 65_536, file: StaticString = #fileID, line: UInt = #line
  ) -> Signal {
    multicast(TurnName("replayLast", file, line), replaying: 1, bufferLimit: bufferLimit)
  }

  private func multicast(
    _ name: TurnName, replaying count: Int, bufferLimit: Int
  ) -> Signal {
    let shared = MulticastSource(self, named: name, replaying: count, bufferLimit: bufferLimit)
    return Signal(home: home.map { SerialScheduler(ofObserversOf: $0) }) { sink in
      try await shared.observe(sink)
    }
  }
}
