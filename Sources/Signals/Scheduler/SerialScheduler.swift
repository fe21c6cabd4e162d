// Turns on a loop, one at a time.

/// A queue of turns: the next begins when the last has ended, its clean-up included.
///
/// Several schedulers may share a loop; each is serial in itself. What takes a turn:
/// ``schedule(_:)``, ``turn(within:_:)``, and a signal's `firstOrDefault` or `first` outside a turn.
public final class SerialScheduler: Sendable {
  private struct State {
    var queue = TurnQueue()
    var nextID: UInt64 = 0
    var begin: [UInt64: @Sendable () -> Void] = [:]
    var cancel: [UInt64: @Sendable (any Error) -> Void] = [:]
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
  /// thread. It must block only for signals of this scheduler's loop.
  ///
  /// - Returns: The turn, to be cancelled or waited for.
  @discardableResult
  public func schedule(_ body: @escaping @Sendable () -> Void) -> ScheduledTurn {
    let turn = Turn(of: self)
    let scheduled = ScheduledTurn(turn: turn)
    let id = newID()
    scheduled.id = id
    loop.hold()
    let admitted = request(
      id,
      begin: { [self] in
        loop.runTurn { [self] in
          runBlocking(turn, body)
          turnEnded(id)
          loop.letGo()
          scheduled.end()
        }
      },
      cancel: { [self] cause in
        if withdraw(id) {
          loop.letGo()
          scheduled.end()
        } else {
          turn.cancel(cause)
        }
      }
    )
    if !admitted {
      loop.letGo()
      scheduled.end()
    }
    return scheduled
  }

  private func runBlocking(_ turn: Turn, _ body: () -> Void) {
    let context = ThreadContext.current
    context.turns.append(turn)
    body()
    if !turn.ownsNothing {
      let released = Guarded(false)
      let carried = Carried(loop: loop, turn: turn, deadline: nil)
      _ = Task(executorPreference: loop) {
        let failures = await Carried.$current.withValue(carried) { await turn.releaseAll() }
        _ = failures
        released.withLock { $0 = true }
      }
      try? loop.drive { released.withLock { $0 } }
    }
    context.turns.removeLast()
  }

  // MARK: Turns of async code

  /// Runs `body` in a turn, on the loop. Inside a turn of this scheduler it belongs to that one.
  ///
  /// - Parameters:
  ///   - limit: How long the wait for the turn and the work may take together. The clean-up comes
  ///     on top.
  /// - Throws: What `body` throws; ``TimedOut``; `CancellationError` or the cause given to
  ///   ``cancelAll(_:)``; ``FailedWithCleanUp`` when something could not be released.
  public func turn<R: Sendable>(
    within limit: Duration? = nil,
    _ body: @escaping @Sendable () async throws -> R
  ) async throws -> R {
    if let turn = Turn.current, turn.scheduler === self { return try await body() }
    loop.hold()
    defer { loop.letGo() }
    let slot = Guarded<TurnRequest?>(nil)
    let made = Guarded<R?>(nil)
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let request = ask(operation: "a turn of \(name)", within: limit) {
          let value = try await body()
          made.withLock { $0 = value }
        } ended: {
          continuation.resume(with: $0)
        }
        slot.withLock { $0 = request }
        if Task.isCancelled { request.cancel(CancellationError()) }
      }
    } onCancel: {
      slot.withLock { $0 }?.cancel(CancellationError())
    }
    guard let value = made.withLock({ $0 }) else { throw LoopShutDown() }
    return value
  }

  /// Asks for an async turn. `ended` is called once, on any thread.
  @discardableResult
  func ask(
    operation: String,
    within limit: Duration?,
    _ body: nonisolated(nonsending) @escaping @Sendable () async throws -> Void,
    ended: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) -> TurnRequest {
    let id = newID()
    let scope = limit.map {
      DeadlineScope(limit: $0, on: loop, inside: Carried.current?.deadline)
    }
    let request = TurnRequest(
      turn: Turn(of: self),
      id: id,
      scope: scope,
      operation: operation,
      body: body,
      ended: ended
    )
    request.armDeadline()
    let admitted = self.request(
      id,
      begin: { request.begin() },
      cancel: { request.cancel($0) }
    )
    if !admitted { request.refuse() }
    return request
  }

  // MARK: The queue

  private func newID() -> UInt64 {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  private func request(
    _ id: UInt64,
    begin: @escaping @Sendable () -> Void,
    cancel: @escaping @Sendable (any Error) -> Void
  ) -> Bool {
    let admission = state.withLock { state in
      let admission = state.queue.request(id)
      if admission != .refused { state.cancel[id] = cancel }
      if admission == .wait { state.begin[id] = begin }
      return admission
    }
    if admission == .begin { begin() }
    return admission != .refused
  }

  func withdraw(_ id: UInt64) -> Bool {
    state.withLock { state in
      guard state.queue.withdraw(id) else { return false }
      state.begin[id] = nil
      state.cancel[id] = nil
      return true
    }
  }

  func cancellation(of id: UInt64) -> (@Sendable (any Error) -> Void)? {
    state.withLock { $0.cancel[id] }
  }

  func turnEnded(_ id: UInt64) {
    let next = state.withLock { state -> (@Sendable () -> Void)? in
      state.cancel[id] = nil
      guard let next = state.queue.ended(id) else { return nil }
      return state.begin.removeValue(forKey: next)
    }
    next?()
  }

  /// Cancels the running turn and every one that waits. Clean-ups still run.
  ///
  /// - Parameter cause: What their callers are told.
  public func cancelAll(_ cause: any Error = CancellationError()) {
    let cancellations = state.withLock { state in
      state.cancel.sorted { $0.key > $1.key }.map(\.value)
    }
    // The latest first, so that none of them begins in between.
    for cancel in cancellations { cancel(cause) }
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
}
