// Turns on a loop, one at a time.
//
// What may run when: the queue decides, behind a lock, who has the turn, and starts nothing. Who ends a turn
// begins the next one, on the loop.

/// A queue of turns: the next begins when the last has ended, its clean-up included.
///
/// Several schedulers may share a loop; each is serial in itself. What takes a turn:
/// ``schedule(named:file:line:_:)``, ``turn(named:within:file:line:_:)``, and a signal's `firstOrDefault` or `first` outside a turn.
public final class SerialScheduler: Sendable {
  private struct State {
    /// Who has the turn, then who waits for it: first come, first served.
    var queue: [Turn] = []
    /// When the first of them got it.
    var since = Instant.start
    var isClosed = false
  }

  /// The loop that the turns run on.
  public let loop: Loop
  /// What the scheduler is called in errors.
  public let name: String
  /// How long each release at the end of a turn may take.
  public let cleanUpLimit: Duration
  private let state = Guarded(State())

  /// Makes a scheduler with nothing to do.
  ///
  /// - Parameters:
  ///   - loop: The loop that its turns run on.
  ///   - name: The name, for errors.
  ///   - cleanUpLimit: How long each release at the end of a turn may take. The default is longer
  ///     than the 2 s that BlueZ waits before it drops a link.
  public init(on loop: Loop, name: String = "scheduler", cleanUpLimit: Duration = .seconds(10)) {
    self.loop = loop
    self.name = name
    self.cleanUpLimit = cleanUpLimit
  }

  // MARK: Turns of blocking code

  /// Runs `body`, which may block for signals, in a turn of its own; returns at once.
  ///
  /// `body` runs on a thread of its own; in virtual time on the thread that turns the loop. It has the
  /// task-local values of this call. It must block only for signals of this scheduler's loop.
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
  ///   - label: What the turn is called, for those that wait for it in vain; the place of this call
  ///     when nil.
  ///   - file: The file of the call, for that place.
  ///   - line: The line of the call.
  ///   - body: The work of the turn.
  /// - Returns: The turn, to be cancelled or waited for.
  @discardableResult
  public func schedule(
    named label: String? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> ScheduledTurn {
    ScheduledTurn(of: self, named: TurnName(label, orElse: "schedule", file, line), body)
  }

  // MARK: Turns of async code

  /// Runs `body` in a turn, on the loop, with the task-local values of this call. Inside a turn of this scheduler it belongs to that one, and
  /// so it does in a run without a home, which takes a turn of this scheduler then, to its end.
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
  ///   - label: What the turn is called, for those that wait for it in vain; the place of this call
  ///     when nil.
  ///   - limit: How long the wait for the turn and the work may take together. The clean-up comes
  ///     on top.
  ///   - file: The file of the call, for the name of the turn.
  ///   - line: The line of the call.
  ///   - body: The work of the turn.
  /// - Throws: What `body` throws; ``TimedOut``; `CancellationError` or the cause given to
  ///   ``cancelAll(_:)``; ``FailedWithCleanUp`` when something could not be released; at once
  ///   ``OtherScheduler`` inside a turn of another scheduler, ``TurnEnded`` in a task whose turn has
  ///   ended, ``LoopNotDriven`` when the loop is virtual and nobody drives it.
  public func turn<R: Sendable>(
    named label: String? = nil, within limit: Duration? = nil, file: StaticString = #fileID,
    line: UInt = #line, _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let operation = "a turn of \(name)"
    if Run.current?.turn != nil {
      let work = Signal<R>.operation(of: self, operation) { sink in try await sink(try await body())
      }
      return try await (limit.map { work.timeout($0, operation) } ?? work).firstValue()
    }
    let name = TurnName(label, orElse: operation, file, line)
    return try await StartedRun.awaited(operation, on: loop, home: self, name, within: limit, body)
  }

  // MARK: The queue

  /// Takes in a turn.
  ///
  /// - Returns: Whether it has begun; nil when none is admitted.
  func admit(_ turn: Turn) -> Bool? {
    state.withLock { state in
      if state.isClosed { return nil }
      if state.queue.isEmpty { state.since = loop.now }
      state.queue.append(turn)
      return state.queue.count == 1
    }
  }

  /// Removes a turn that waits; false when it does not (any more).
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
  /// - Returns: The turn that the caller has to begin.
  func release(_ turn: Turn) -> Turn? {
    state.withLock { state in
      guard let index = state.queue.firstIndex(where: { $0 === turn }) else { return nil }
      state.queue.remove(at: index)
      guard index == 0, let next = state.queue.first else { return nil }
      state.since = loop.now
      return next
    }
  }

  /// Who has the turn that another one waits for; nil when that does not wait.
  func holder(before turn: Turn) -> TurnHolder? {
    let (holder, since) = state.withLock { state -> (Turn?, Instant) in
      let waits = state.queue.dropFirst().contains { $0 === turn }
      return (waits ? state.queue.first : nil, state.since)
    }
    return holder.map {
      TurnHolder(scheduler: name, turn: "\($0.name)", held: loop.now - since)
    }
  }

  /// Cancels the running turn and every one that waits. Clean-ups still run.
  ///
  /// - Parameter cause: The error that their callers get.
  public func cancelAll(_ cause: any Error = CancellationError()) {
    // The latest first, so that none of them begins in between.
    for turn in state.withLock({ $0.queue }).reversed() { turn.cancel(cause) }
  }

  /// Admits no further turn, and cancels the present ones with ``LoopShutDown``.
  public func shutDown() {
    state.withLock { $0.isClosed = true }
    cancelAll(LoopShutDown())
  }

  /// Whether no turn runs or waits.
  public var isIdle: Bool { state.withLock { $0.queue.isEmpty } }

  /// Blocks until no turn runs or waits, turning the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside the loop or a turn; ``LoopIdle`` when time is
  ///   virtual and the turns cannot end.
  public func waitUntilIdle() throws {
    guard !ThreadContext.current.turns.contains(where: { $0.loop === loop }) else {
      throw BlockedInsideLoop(operation: "waiting until \(name) is idle")
    }
    try loop.drive { [self] in isIdle }
  }

  /// The same, for `limit` at most in real time: before a program exits whose blocking calls may have
  /// left at their deadlines.
  public func waitUntilIdle(within limit: Duration) throws {
    guard !isIdle else { return }
    guard !loop.isVirtual else { return try waitUntilIdle() }
    let isOver = Guarded(false)
    let timer = loop.after(limit) { isOver.withLock { $0 = true } }
    defer { timer.cancel() }
    try loop.drive { [self] in isIdle || isOver.withLock { $0 } }
  }
}
