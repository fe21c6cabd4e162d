// A queue of turns on a loop: one runs, the others wait.
//
// The queue only decides, under its lock, which turn is first. It starts nothing: the turn that
// ends begins the next one, on the loop.

/// A queue of turns. Each begins after the previous one has ended, clean-up included.
///
/// Several schedulers may share a loop; each is serial in itself. These take a turn:
/// ``schedule(named:file:line:_:)``, ``turn(named:within:file:line:_:)``, and a signal's
/// `firstOrDefault` or `first` outside a turn.
public final class SerialScheduler: Sendable {
  private struct State {
    /// The running turn, then the waiting ones in order of arrival.
    var queue: [Turn] = []
    /// The instant at which the running turn began.
    var since = Instant.start
    var isClosed = false
  }

  /// The loop that runs the turns.
  public let loop: Loop
  /// The name of the scheduler in errors.
  public let name: String
  /// The time limit of each release at the end of a turn.
  public let cleanUpLimit: Duration
  /// The scheduler that this one stands for as the home of shared signals; nil for itself.
  private let represented: SerialScheduler?
  private let state = Guarded(State())

  /// Makes a scheduler without turns.
  ///
  /// - Parameters:
  ///   - loop: The loop that runs its turns.
  ///   - name: The name, for errors.
  ///   - cleanUpLimit: The time limit of each release at the end of a turn. The default is longer
  ///     than the 2 s that BlueZ waits before it drops a link.
  public init(on loop: Loop, name: String = "scheduler", cleanUpLimit: Duration = .seconds(10)) {
    self.loop = loop
    self.name = name
    self.cleanUpLimit = cleanUpLimit
    represented = nil
    // On a loop of virtual time, no thread would drive the clean-up at the exit.
    if !loop.isVirtual { ProcessEnd.add(self) }
  }

  deinit {
    if represented == nil, !loop.isVirtual { ProcessEnd.remove(ObjectIdentifier(self)) }
  }

  // MARK: The home of shared signals

  /// Makes the home of a shared signal, whose observers acquire no turn of `original` at their
  /// start, because the shared run has it.
  ///
  /// It is passed on by operators as every home is. Everything else is done by ``original``.
  init(ofObserversOf original: SerialScheduler) {
    represented = original.original
    loop = original.loop
    name = original.name
    cleanUpLimit = original.cleanUpLimit
  }

  /// The scheduler whose turns are meant: this one, unless it is the home of shared signals.
  var original: SerialScheduler { represented ?? self }

  /// Whether a run with this home acquires a turn at its start.
  var takesTurnAtStart: Bool { represented == nil }

  // MARK: Turns of blocking code

  /// Runs `body`, which may block for signals, in a new turn; returns at once.
  ///
  /// `body` runs on its own thread; in virtual time, on the thread that drives the loop. It
  /// inherits the task-local values of this call. It must block only for signals of this
  /// scheduler's loop.
  ///
  /// ```swift
  /// let turn = scheduler.schedule {
  ///   let level = thermometer.connect().flattenMap { thermometer.read(.batteryLevel) }
  ///     .firstOrDefault(0, within: .seconds(30))
  ///   print(level.value)
  /// }
  /// try turn.wait()   // until the thermometer is disconnected
  /// ```
  ///
  /// - Parameters:
  ///   - label: The name of the turn in the timeout errors of waiting turns; nil for the place of
  ///     this call.
  ///   - file: The file of the call, for that place.
  ///   - line: The line of the call.
  ///   - body: The work of the turn.
  /// - Returns: A handle to cancel the turn or wait for it.
  @discardableResult
  public func schedule(
    named label: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> ScheduledTurn {
    ScheduledTurn(of: original, named: TurnName(label, orElse: "schedule", file, line), body)
  }

  // MARK: Turns of async code

  /// Runs `body` in a turn, on the loop, with the task-local values of this call.
  ///
  /// Inside a turn of this scheduler, `body` joins that turn. Inside a run without a home, the run
  /// takes a turn of this scheduler, which it keeps to its end, and `body` joins it.
  ///
  /// ```swift
  /// let (level, name) = try await scheduler.turn(within: .seconds(30)) {
  ///   try await thermometer.connect().first()
  ///   let level = try await thermometer.read(.batteryLevel).first()
  ///   let name = try await thermometer.read(deviceName).first()
  ///   return (level, name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - label: The name of the turn in the timeout errors of waiting turns; nil for the place of
  ///     this call.
  ///   - limit: The time limit of the wait for the turn and the work together, without the
  ///     clean-up.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - body: The work of the turn.
  /// - Throws: The error of `body`; ``TimedOut``; `CancellationError` or the cause given to
  ///   ``cancelAll(_:)``; ``FailedWithCleanUp`` when a release failed; at once ``OtherScheduler``
  ///   inside a turn of another scheduler, ``TurnEnded`` in a task whose turn has ended,
  ///   ``LoopNotDriven`` on a virtual loop that no thread drives.
  public func turn<R: Sendable>(
    named label: String? = nil, within limit: Duration? = nil, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let operation = label ?? "a turn of \(name)"
    if TaskContext.current?.turn != nil {
      let work = Signal<R>.operation(of: original, operation) { sink in
        try await sink(try await body())
      }
      return try await (limit.map { work.timeout($0, operation) } ?? work).firstValue()
    }
    let turn = TurnName(label, orElse: operation, file, line)
    return try await StartedRun.awaited(
      operation, on: loop, home: original, turn, within: limit, body
    )
  }

  // MARK: The queue

  /// The name of the running turn; nil if none runs.
  var runningTurn: TurnName? { state.withLock { $0.queue.first?.name } }

  /// Appends a turn to the queue.
  ///
  /// - Returns: Whether it has begun; nil when the scheduler was shut down.
  func admit(_ turn: Turn) -> Bool? {
    state.withLock { state in
      if state.isClosed { return nil }
      if state.queue.isEmpty { state.since = loop.now }
      state.queue.append(turn)
      return state.queue.count == 1
    }
  }

  /// Removes a waiting turn; false if it is not waiting.
  func withdraw(_ turn: Turn) -> Bool {
    state.withLock { state in
      guard let index = state.queue.firstIndex(where: { $0 === turn }), index > 0 else {
        return false
      }
      state.queue.remove(at: index)
      return true
    }
  }

  /// Removes a turn that has ended, clean-up included.
  ///
  /// - Returns: The next turn, which the caller must begin.
  func release(_ turn: Turn) -> Turn? {
    state.withLock { state in
      guard let index = state.queue.firstIndex(where: { $0 === turn }) else { return nil }
      state.queue.remove(at: index)
      guard index == 0, let next = state.queue.first else { return nil }
      state.since = loop.now
      return next
    }
  }

  /// The holder of the turn that `turn` waits for; nil if `turn` is not waiting.
  func holder(before turn: Turn) -> TurnHolder? {
    let (holder, since) = state.withLock { state -> (Turn?, Instant) in
      let waits = state.queue.dropFirst().contains { $0 === turn }
      return (waits ? state.queue.first : nil, state.since)
    }
    return holder.map {
      TurnHolder(scheduler: name, turn: "\($0.name)", held: loop.now - since)
    }
  }

  /// Cancels the running turn and all waiting ones. Clean-ups still run.
  ///
  /// - Parameter cause: The error that their callers get.
  public func cancelAll(_ cause: any Error = CancellationError()) {
    // Last first, so that no waiting turn begins in between.
    for turn in original.state.withLock({ $0.queue }).reversed() { turn.cancel(cause) }
  }

  /// Accepts no further turns, and cancels the present ones with ``LoopShutDown``.
  public func shutDown() {
    original.state.withLock { $0.isClosed = true }
    cancelAll(LoopShutDown())
  }

  /// Whether no turn runs or waits.
  public var isIdle: Bool { original.state.withLock { $0.queue.isEmpty } }

  /// Blocks until no turn runs or waits, driving the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside the loop or a turn; ``LoopIdle`` when time is
  ///   virtual and the turns cannot end.
  public func waitUntilIdle() throws {
    guard !ThreadContext.current.turns.contains(where: { $0.loop === loop }) else {
      throw BlockedInsideLoop(operation: "waiting until \(name) is idle")
    }
    try loop.drive { [self] in isIdle }
  }

  /// Blocks until no turn runs or waits, in real time for at most `limit`.
  ///
  /// For code whose blocking calls may have timed out and left clean-ups running. A program need not
  /// call it before it exits: `exit` and the end of `main` cancel all turns and wait in the same way,
  /// for the scheduler's ``cleanUpLimit`` at most.
  public func waitUntilIdle(within limit: Duration) throws {
    guard !isIdle else { return }
    guard !loop.isVirtual else { return try waitUntilIdle() }
    let isOver = Guarded(false)
    let timer = loop.after(limit) { isOver.withLock { $0 = true } }
    defer { timer.cancel() }
    try loop.drive { [self] in isIdle || isOver.withLock { $0 } }
  }

  /// Blocks the thread that ends the process until no turn runs or waits, or `isDone` returns true, for
  /// at most `limit`.
  func waitAtExit(within limit: Duration, isDone: @escaping @Sendable () -> Bool) throws {
    let isOver = Guarded(false)
    let timer = loop.after(limit) { isOver.withLock { $0 = true } }
    defer { timer.cancel() }
    try loop.driveAtExit { [self] in isIdle || isDone() || isOver.withLock { $0 } }
  }
}
