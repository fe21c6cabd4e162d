// The bookkeeping of one run: its turn of a scheduler, its unfinished work, and its releases.
//
// Any function may be called on any thread. Under the lock only the scheduler's queue is called,
// which has its own lock. `end` is the last call of the run's task: while it waits for unfinished
// work, only clean-up may begin.

/// One run: its turn of at most one scheduler, its unfinished work, and its registered releases.
///
/// A run acquires the turn of its home, or of the first scheduler whose operation it reaches, and
/// holds it to its end. No other turn of that scheduler overlaps, clean-up included. A run that
/// observes a shared signal takes part in the turn of the shared run instead. At the end,
/// unfinished work in tasks that were not awaited is cancelled and awaited. Then the registered
/// releases run, last in first out, each shielded from cancellation and limited by the scheduler's
/// `cleanUpLimit`. Only then is the turn released, and the next one begins.
public final class Turn: @unchecked Sendable {
  // `state`, and `isAbandoned` of each work, are protected by `lock`.

  /// A registered release.
  public struct Entry: Hashable, Sendable {
    let id: UInt64
  }

  private struct Owned {
    let id: UInt64
    let what: String
    let release: @Sendable () async throws -> Void
  }

  private enum Phase { case open, ending, ended }

  /// The turn of a scheduler, requested or acquired.
  private struct Slot {
    enum Stage: Equatable {
      case requested, begun
      /// The run was cancelled while it waited for the turn.
      case withdrawn
      /// The run acquires separate turns one after another; the number that are under way.
      case separate(Int)
    }

    let scheduler: SerialScheduler
    var stage: Stage
  }

  /// The result of a wait on this turn; nil while it must keep waiting.
  private typealias Answer = @Sendable (State) -> Result<Void, any Error>?

  private struct State {
    var nextID: UInt64 = 0
    var phase = Phase.open
    /// The turn's place at its scheduler; nil until the run reaches an operation of one.
    var slot: Slot?
    /// The turn that this run takes part in instead of having one of its own: that of a shared run.
    var host: SharedTurn?
    var owned: [Owned] = []
    var work: [Work] = []
    var waits: [(answer: Answer, done: Completion<Void>)] = []
    var cause: (any Error)?
    /// Clean-up failures of abandoned iterations, reported at the end of the turn.
    var failures: [CleanUpFailure] = []
  }

  /// The name, for the timeout errors of waiting turns.
  let name: TurnName
  /// The loop of the run.
  let loop: Loop
  /// The task of the run itself.
  let main = Work()
  private let lock = Lock()
  @exclusivity(unchecked) private var state = State()

  init(named name: TurnName, on loop: Loop) {
    self.name = name
    self.loop = loop
  }

  /// The turn of the current task; nil outside a turn and after its end.
  public static var current: Turn? {
    guard let turn = TaskContext.current?.turn else { return nil }
    return turn.lock.whileHeld { turn.state.phase == .ended } ? nil : turn
  }

  /// The scheduler whose turn the run has acquired or requested; nil until it reaches an operation.
  public var scheduler: SerialScheduler? {
    let (host, own) = lock.whileHeld { (state.host, state.slot?.scheduler) }
    return host?.turn.scheduler ?? own
  }

  // MARK: Releases

  /// Registers a release, which runs at the end of this turn unless it is cancelled before.
  ///
  /// - Parameters:
  ///   - what: The resource, for the error of a failed release: "the link to Thermo-1".
  ///   - release: Releases the resource. Called at most once, on the scheduler's loop; soon if the
  ///     turn has already ended.
  public func registerRelease(of what: String, release: @escaping @Sendable () async throws -> Void)
    -> Entry
  {
    let (entry, isLate) = lock.whileHeld {
      state.nextID += 1
      let isLate = state.phase == .ended
      if !isLate {
        state.owned.append(Owned(id: state.nextID, what: what, release: release))
      }
      return (Entry(id: state.nextID), isLate)
    }
    if isLate { _ = (scheduler?.loop ?? loop).task { try? await release() } }
    return entry
  }

  /// Cancels a registered release, whose resource was released before or is kept. Has no effect if
  /// the release has run or was cancelled.
  public func cancelRelease(_ entry: Entry) {
    lock.whileHeld { state.owned.removeAll { $0.id == entry.id } }
  }

  // MARK: Waits

  /// Changes the state, and ends the waits that now have a result.
  private func change(_ body: (inout State) -> Void) {
    let ended = lock.whileHeld { () -> [(Completion<Void>, Result<Void, any Error>)] in
      body(&state)
      if state.waits.isEmpty { return [] }
      let (waits, answers) = (state.waits, state.waits.map { $0.answer(state) })
      state.waits = zip(waits, answers).filter { $1 == nil }.map { $0.0 }
      return zip(waits, answers).compactMap { wait, answer in answer.map { (wait.done, $0) } }
    }
    for (done, answer) in ended { done.end(answer) }
  }

  /// Ends `done` as soon as `answer` returns a result.
  private func end(_ done: Completion<Void>, with answer: @escaping Answer) {
    let present = lock.whileHeld {
      let present = answer(state)
      if present == nil {
        // A cancelled wait stays in the list until the next one is added.
        state.waits.removeAll { $0.done.hasEnded }
        state.waits.append((answer, done))
      }
      return present
    }
    if let present { done.end(present) }
  }

  // MARK: Cancellation

  /// The cause of the cancellation; nil if the turn was not cancelled.
  public var cancellationCause: (any Error)? { lock.whileHeld { state.cause } }

  /// Cancels the work of the turn; its clean-up still runs.
  ///
  /// - Parameter cause: The error that the caller of the turn gets. Only the first cause counts.
  public func cancel(_ cause: any Error = CancellationError()) {
    let work = lock.whileHeld {
      if state.cause == nil { state.cause = cause }
      if let slot = state.slot, slot.stage == .requested, slot.scheduler.withdraw(self) {
        state.slot?.stage = .withdrawn
      }
      return state.work
    }
    main.cancel()
    for work in work where !work.isCleanUp { work.cancel() }
    // After the cancellation: a wait that a deadline ends then reports its own operation.
    change { _ in }
  }

  /// Whether the run waits for the turn that it has requested.
  var isRequested: Bool { lock.whileHeld { state.slot?.stage == .requested } }

  /// Whether the turn was cancelled before it began.
  var isWithdrawn: Bool { lock.whileHeld { state.slot?.stage == .withdrawn } }

  // MARK: The turn of a shared run

  /// The turn that the operations of this run belong to: its own, or that of the shared run that it
  /// takes part in.
  var acting: Turn { lock.whileHeld { state.host }?.turn.acting ?? self }

  /// Whether the run has acquired or requested a turn, or takes part in one.
  var hasTurn: Bool { lock.whileHeld { state.host != nil || state.slot != nil } }

  /// Makes this run take part in the turn of a shared run, unless it has a turn.
  func join(_ host: SharedTurn) {
    guard host.turn !== self else { return }
    lock.whileHeld {
      guard state.slot == nil, state.host == nil, state.phase == .open, host.addGuest() else {
        return
      }
      state.host = host
    }
  }

  // MARK: The turn of a scheduler

  /// The holder of the turn that this run waits for; nil if it waits for none.
  var awaitedHolder: TurnHolder? {
    let turn = acting
    return turn.scheduler?.holder(before: turn)
  }

  /// Requests the turn of `scheduler`, unless the run has done so, and waits for it.
  ///
  /// - Throws: ``OtherScheduler`` if the run has acquired or requested the turn of another
  ///   scheduler; ``TurnEnded``; ``LoopShutDown``.
  nonisolated(nonsending)
    func acquire(_ scheduler: SerialScheduler, for operation: String, in context: TaskContext)
    async throws
  {
    if try request(scheduler, for: operation, isCleanUp: context.isCleanUp) { return }
    try await awaitTurn(of: scheduler, for: "waiting for a turn of \(scheduler.name)")
  }

  /// Requests the turn of `scheduler`, unless the run has done so.
  ///
  /// - Returns: Whether the turn has begun.
  @discardableResult
  func request(
    _ scheduler: SerialScheduler, for operation: String, isCleanUp: Bool = false
  ) throws -> Bool {
    enum Reply { case begun, waits, requested, ended, shutDown, other(SerialScheduler), host(Turn) }
    let reply: Reply = lock.whileHeld {
      if let slot = state.slot {
        switch slot.stage {
        case .begun where slot.scheduler === scheduler: return .begun
        case .requested where slot.scheduler === scheduler: return .waits
        case .withdrawn where slot.scheduler === scheduler: return .waits
        case .begun, .requested, .withdrawn, .separate: return .other(slot.scheduler)
        }
      }
      if let host = state.host { return .host(host.turn) }
      guard state.phase == .open || (isCleanUp && state.phase == .ending) else { return .ended }
      // Under the lock, so that a turn that ends meanwhile does not stay in the queue.
      guard let begins = scheduler.admit(self) else { return .shutDown }
      state.slot = Slot(scheduler: scheduler, stage: begins ? .begun : .requested)
      return .requested
    }
    switch reply {
    case .begun: return true
    case .waits: return false
    case .requested:
      // The awaited turn begins on the scheduler's loop.
      scheduler.loop.hold()
      return lock.whileHeld { state.slot?.stage == .begun }
    case .host(let host): return try host.request(scheduler, for: operation, isCleanUp: isCleanUp)
    case .ended: throw turnEndedError(before: operation)
    case .shutDown: throw LoopShutDown()
    case .other(let present):
      throw OtherScheduler(operation: operation, present: present.name, wanted: scheduler.name)
    }
  }

  /// Waits until the requested turn of `scheduler` has begun.
  nonisolated(nonsending)
    func awaitTurn(of scheduler: SerialScheduler, for operation: String) async throws
  {
    if let host = lock.whileHeld({ state.host }) {
      return try await host.turn.awaitTurn(of: scheduler, for: operation)
    }
    do {
      try await wait(on: loop, operation: operation) { done in
        end(done) { state in
          switch state.slot?.stage {
          case .begun: .success(())
          case .requested where state.phase != .ended: nil
          case .requested:
            .failure(TurnEnded(operation: "waiting for a turn", scheduler: scheduler.name))
          case .withdrawn, .separate, nil: .failure(state.cause ?? CancellationError())
          }
        }
      }
    } catch let error as TimedOut {
      let ofCause = (cancellationCause as? TimedOut)?.holder
      throw error.addingHolder(scheduler.holder(before: self) ?? ofCause)
    }
  }

  /// Begins the requested turn. Called by the turn that ended before it.
  func begin() { change { if $0.slot?.stage == .requested { $0.slot?.stage = .begun } } }

  /// Records that the run requests a separate turn of `scheduler`, which ends before the run does.
  ///
  /// - Returns: False if the run has acquired or requested a turn that it holds to its end.
  /// - Throws: ``OtherScheduler`` if it has a separate turn of another scheduler.
  func beginSeparateTurn(of scheduler: SerialScheduler) throws -> Bool {
    let (mayBegin, other): (Bool, SerialScheduler?) = lock.whileHeld {
      if state.host != nil { return (false, nil) }
      switch state.slot?.stage {
      case .requested, .begun, .withdrawn: return (false, nil)
      case .separate(let count):
        if let present = state.slot?.scheduler, present !== scheduler { return (false, present) }
        state.slot?.stage = .separate(count + 1)
      case nil: state.slot = Slot(scheduler: scheduler, stage: .separate(1))
      }
      return (true, nil)
    }
    guard let other else { return mayBegin }
    let operation = "a turn of \(scheduler.name)"
    throw OtherScheduler(operation: operation, present: other.name, wanted: scheduler.name)
  }

  /// Records that a separate turn has ended.
  func endSeparateTurn() {
    lock.whileHeld {
      guard case .separate(let count)? = state.slot?.stage else { return }
      if count > 1 { state.slot?.stage = .separate(count - 1) } else { state.slot = nil }
    }
  }

  /// Checks that a signal with this home may run in this turn.
  ///
  /// - Throws: ``OtherScheduler``.
  func requireHome(_ home: SerialScheduler?, for operation: String) throws {
    guard let home = home?.original, let scheduler, home !== scheduler else { return }
    throw OtherScheduler(operation: operation, present: scheduler.name, wanted: home.name)
  }

  // MARK: Unfinished work

  /// The error of an operation that begins too late.
  func turnEndedError(before operation: String) -> TurnEnded {
    TurnEnded(operation: operation, scheduler: scheduler?.name ?? "the run")
  }

  /// Whether the turn has begun to end.
  var isEnding: Bool { lock.whileHeld { state.phase != .open } }

  /// Registers work, which the end of the turn cancels and waits for. While the turn ends, only
  /// clean-up may begin.
  ///
  /// - Throws: ``TurnEnded``.
  func begin(_ operation: String, in context: TaskContext?, of scope: TurnScope? = nil)
    throws(TurnEnded)
    -> Work
  {
    let work = Work(context?.cleanUp, of: scope)
    let (isIn, isCancelled) = lock.whileHeld {
      guard state.phase == .open || (work.isCleanUp && state.phase == .ending) else {
        return (false, false)
      }
      state.work.append(work)
      return (true, state.cause != nil && !work.isCleanUp)
    }
    guard isIn else { throw turnEndedError(before: operation) }
    if isCancelled { work.cancel() }
    return work
  }

  /// Removes work that has ended.
  ///
  /// - Parameter result: The result of abandoned work, whose clean-up failures the turn reports.
  func end(_ work: Work, _ result: Result<Void, any Error> = .success(())) {
    work.removeCancelHandler()
    change { state in
      state.work.removeAll { $0 === work }
      if work.isAbandoned, case .failure(let error as FailedWithCleanUp) = result {
        state.failures += error.cleanUp
      }
    }
  }

  /// Runs `body` in the current task as work of the turn, whose end cancels this task and waits.
  func including<R>(
    _ operation: String, in context: TaskContext, _ body: () async throws -> R
  ) async throws -> R {
    let work = try begin(operation, in: context)
    defer { end(work) }
    do {
      return try await withUnsafeCurrentTask { task in
        // `task` is used until `removeCancelHandler` returns, in the scope of this closure; any
        // thread may cancel it.
        nonisolated(unsafe) let task = task
        work.onCancel { task?.cancel() }
        defer { work.removeCancelHandler() }
        return try await body()
      }
    } catch is CancellationError where isEnding && !work.isCleanUp {
      throw turnEndedError(before: operation)
    }
  }

  /// Cancels work whose consumer was cancelled. The next operation waits for its end.
  func abandon(_ isChosen: (Work) -> Bool) {
    let chosen = lock.whileHeld {
      let chosen = state.work.filter(isChosen)
      for work in chosen { work.isAbandoned = true }
      return chosen
    }
    for work in chosen { work.cancel() }
  }

  /// Whether abandoned work has not ended.
  var hasAbandonedWork: Bool { lock.whileHeld { state.work.contains(where: \.isAbandoned) } }

  /// Waits until all abandoned work has ended.
  nonisolated(nonsending)
    func awaitAbandonedWork() async throws
  {
    guard hasAbandonedWork else { return }
    try await wait(on: loop, operation: "ending an iteration") { done in
      end(done) { $0.work.contains(where: \.isAbandoned) ? nil : .success(()) }
    }
  }

  /// Removes and returns the clean-up failures of abandoned work.
  func removeFailures() -> [CleanUpFailure] {
    lock.whileHeld {
      defer { state.failures = [] }
      return state.failures
    }
  }

  /// Cancels the unfinished work of a clean-up that has ended.
  func cleanUpEnded() {
    let left = lock.whileHeld { state.work.filter { $0.isOfCleanUp && !$0.isCleanUp } }
    for work in left { work.cancel() }
  }

  // MARK: The end

  /// Ends unfinished work, runs the releases, last registered first, and releases the turn.
  ///
  /// - Parameters:
  ///   - result: The result of the run's work. `deliver` gets it with the clean-up failures added.
  ///   - deliver: Called after this turn was released and before the next one begins, so that its
  ///     receiver finds no turn running.
  nonisolated(nonsending)
    func end(_ result: Result<Void, any Error>, _ deliver: (Result<Void, any Error>) -> Void) async
  {
    var failures: [CleanUpFailure] = []
    while !close() {
      await endAllWork()
      failures += removeFailures()
      while let owned = lock.whileHeld({ state.owned.popLast() }) {
        do {
          let scheduler = scheduler
          try await shielded(
            on: scheduler?.loop ?? loop, limit: scheduler?.cleanUpLimit ?? .seconds(10),
            owned.release
          )
        } catch {
          failures.append(CleanUpFailure(what: owned.what, error: error))
        }
      }
    }
    failures += removeFailures()
    if let host = lock.whileHeld({ state.host }) { failures += await host.removeGuest() }
    main.removeCancelHandler()
    let taken: SerialScheduler? = lock.whileHeld {
      if case .separate = state.slot?.stage { nil } else { state.slot?.scheduler }
    }
    let next = taken?.release(self)
    deliver(result.adding(failures))
    taken?.loop.wakeBlockedFromOutside()
    taken?.loop.endHold()
    next?.begin()
  }

  /// Runs the releases of a turn whose own task never continues, as it ends the process.
  ///
  /// - Parameter done: Called on the loop after the last release.
  func releaseAtExit(_ done: @escaping @Sendable () -> Void) {
    let loop = scheduler?.loop ?? loop
    let limit = scheduler?.cleanUpLimit ?? .seconds(10)
    _ = loop.task { [self] in
      await TaskContext.$current.withValue(TaskContext(loop: loop, turn: self)) {
        while let owned = lock.whileHeld({ state.owned.popLast() }) {
          try? await shielded(on: loop, limit: limit, owned.release)
        }
      }
      done()
    }
  }

  /// Stops accepting work other than clean-up.
  ///
  /// - Returns: Whether the turn has ended: no work is unfinished and no release is left.
  private func close() -> Bool {
    var isDone = false
    change { state in
      isDone = state.work.isEmpty && state.owned.isEmpty
      state.phase = isDone ? .ended : .ending
    }
    return isDone
  }

  nonisolated(nonsending)
    private func endAllWork() async
  {
    for work in lock.whileHeld({ state.work }).reversed() where !work.isCleanUp { work.cancel() }
    let done = Completion<Void>()
    end(done) { $0.work.isEmpty ? .success(()) : nil }
    // Not `wait`: cancelling the task must not end this wait.
    try? await withUnsafeThrowingContinuation { done.install($0) }
  }
}
