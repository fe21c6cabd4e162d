// Turns on a loop, one at a time.

/// A queue of turns: the next begins when the last has ended, its clean-up included.
///
/// Several schedulers may share a loop; each is serial in itself. What takes a turn:
/// ``schedule(named:file:line:_:)``, ``turn(named:within:file:line:_:)``, and a signal's `firstOrDefault` or `first` outside a turn.
public final class SerialScheduler: Sendable {
  private struct State {
    var queue = TurnQueue()
    var nextID: UInt64 = 0
    /// Who has the turn, then who waits for it, in the order of the queue.
    var takers: [any TurnTaker] = []
    /// When the first of them got it.
    var since = Instant.start
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
  public init(
    on loop: Loop,
    name: String = "scheduler",
    cleanUpLimit: Duration = .seconds(10)
  ) {
    self.loop = loop
    self.name = name
    self.cleanUpLimit = cleanUpLimit
  }

  // MARK: Turns of blocking code

  /// Runs `body`, which may block for signals, in a turn of its own; returns at once.
  ///
  /// `body` runs on whichever thread drives the loop then: one that blocks, or else a background
  /// thread. It has the task-local values of this call. It must block only for signals of this
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
  ///   - label: What the turn is called, for those that wait for it in vain; the place of this call
  ///     when nil.
  ///   - file: The file of the call, for that place.
  ///   - line: The line of the call.
  ///   - body: The work of the turn.
  /// - Returns: The turn, to be cancelled or waited for.
  @discardableResult
  public func schedule(
    named label: String? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> ScheduledTurn {
    let name = TurnName(label, orElse: "schedule", file, line)
    let scheduled = ScheduledTurn(of: self, named: name, body)
    scheduled.ask()
    return scheduled
  }

  /// Runs the block of a turn on this thread, and then what the turn has to release.
  func runBlocking(_ turn: Turn, _ body: () -> Void) {
    let context = ThreadContext.current
    context.turns.append(turn)
    // What the block begins belongs to its turn, and is downstream of no stream.
    Carried.$current.withValue(Carried(loop: loop, turn: turn)) {
      OpenStream.$current.withValue([]) { body() }
    }
    if !turn.close() {
      let released = Guarded(false)
      let carried = Carried(loop: loop, turn: turn, isBranch: true)
      _ = Task(executorPreference: loop) {
        _ = await carried.whileBranching { await turn.finish() }
        released.withLock { $0 = true }
      }
      try? loop.drive { released.withLock { $0 } }
    }
    turn.end(.success(()))
    context.turns.removeLast()
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
    named label: String? = nil,
    within limit: Duration? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    let operation = "a turn of \(name)"
    if Carried.current?.turn != nil {
      let work = Signal<R>.operation(of: self, operation) { sink in
        try await sink(try await body())
      }
      let limited = limit.map { work.timeout($0, operation) } ?? work
      return try await limited.firstValue()
    }
    let name = TurnName(label, orElse: operation, file, line)
    return try await ownTurn(operation, named: name, within: limit, body)
  }

  /// Runs `body` in a turn of its own.
  ///
  /// - Parameters:
  ///   - operation: What a deadline that passes is reported for.
  ///   - name: What the turn is called.
  ///   - isOfRun: Whether it stands for a run without a home.
  func ownTurn<R: Sendable>(
    _ operation: String,
    named name: TurnName,
    isOfRun: Bool = false,
    within limit: Duration?,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    try requireDriver(for: operation)
    loop.hold()
    defer { loop.letGo() }
    let slot = Guarded<TurnRequest?>(nil)
    let made = Guarded<R?>(nil)
    let carried = Carried.current
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let request = TurnRequest(
          of: self,
          isOfRun: isOfRun,
          operation: operation,
          named: name,
          within: limit,
          inside: limit == nil ? nil : Carried.current
        ) {
          let value = try await body()
          made.withLock { $0 = value }
        } ended: {
          continuation.resume(with: $0)
        }
        request.ask()
        slot.withLock { $0 = request }
        if Task.isCancelled { request.cancelCaller(carrying: carried) }
      }
    } onCancel: {
      slot.withLock { $0 }?.cancelCaller(carrying: carried)
    }
    guard let value = made.withLock({ $0 }) else { throw LoopShutDown() }
    return value
  }

  // MARK: The queue

  /// A number for a request.
  func newID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  /// Takes in a request, and begins its turn if nobody has one; false when none is admitted.
  func admit(_ taker: some TurnTaker) -> Bool {
    let admission = state.withLock { state in
      let admission = state.queue.request(taker.id)
      if admission == .begin { state.since = loop.now }
      if admission != .refused { state.takers.append(taker) }
      return admission
    }
    if admission == .begin { taker.begin() }
    return admission != .refused
  }

  /// Takes a request back; false when it does not wait (any more).
  func withdraw(_ id: UInt64) -> Bool {
    state.withLock { state in
      guard state.queue.withdraw(id) else { return false }
      state.takers.removeAll { $0.id == id }
      return true
    }
  }

  /// The running turn has ended, clean-up included: the next begins.
  func turnEnded(_ id: UInt64) { takeNext(after: id)?.begin() }

  /// Removes the running turn, which has ended, clean-up included.
  ///
  /// A turn delivers its result between this call and the beginning of the next turn: whoever gets
  /// the result finds the scheduler idle, and sees it before anything of the next turn.
  ///
  /// - Returns: The turn that the caller has to begin.
  func takeNext(after id: UInt64) -> (any TurnTaker)? {
    state.withLock { state in
      state.takers.removeFirst()
      guard state.queue.ended(id) != nil else { return nil }
      state.since = loop.now
      return state.takers.first
    }
  }

  /// Who has the turn that a request waits for; nil when it does not wait.
  func holder(before id: UInt64) -> TurnHolder? {
    let (holder, since) = state.withLock { state -> ((any TurnTaker)?, Instant) in
      (state.queue.waiting.contains(id) ? state.takers.first : nil, state.since)
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
    for taker in state.withLock({ $0.takers }).reversed() { taker.cancel(cause) }
  }

  /// Admits no further turn, and cancels the present ones with ``LoopShutDown``.
  public func shutDown() {
    state.withLock { $0.queue.refuseFurther() }
    cancelAll(LoopShutDown())
  }

  /// Whether no turn runs or waits.
  public var isIdle: Bool { state.withLock { $0.queue.running == nil } }

  /// Blocks until no turn runs or waits, turning the loop meanwhile.
  ///
  /// - Throws: ``BlockedInsideLoop`` from inside the loop or a turn; ``LoopIdle`` when time is
  ///   virtual and the turns cannot end.
  public func waitUntilIdle() throws {
    guard !ThreadContext.current.turns.contains(where: { $0.scheduler.loop === loop }) else {
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
