// The ledger of a run, and the turn of a scheduler that it has.

/// What a run has begun and has to release, and the turn of the one scheduler that it has taken.
///
/// A run takes the turn of the first scheduler whose operation it reaches, or of its home, and holds it
/// to its end. No other turn of that scheduler overlaps, clean-up included: at the end, what was begun
/// and still runs, in tasks that nobody awaited, is cancelled and awaited. Then what was entered is
/// released, last in first out, each release shielded from cancellation and within the scheduler's
/// clean-up limit. Only then is the turn given back, and the next one begins.
public final class Turn: @unchecked Sendable {
  // `state`, and `isLeft` of its work, is protected by `lock`.

  /// Something the turn has to release.
  public struct Entry: Hashable, Sendable {
    let id: UInt64
  }

  private struct Owned {
    let id: UInt64
    let what: String
    let release: @Sendable () async throws -> Void
  }

  private enum Phase { case open, ending, ended }

  /// Which scheduler's turn this is.
  private enum Slot {
    case none
    case asked(SerialScheduler)
    case begun(SerialScheduler)
    /// The run was cancelled while it waited.
    case withdrawn(SerialScheduler)
    /// The run takes turns of it one after the other, and has so many now.
    case lent(SerialScheduler, Int)
  }

  private struct State {
    var nextID: UInt64 = 0
    var phase = Phase.open
    var slot = Slot.none
    var owned: [Owned] = []
    var work: [Work] = []
    /// Who waits for the turn to begin.
    var waiting: [Completion<Void>] = []
    /// Who waits until the work that its consumers have left has ended.
    var settling: [Completion<Void>] = []
    /// The turn's end, which waits until there is no work.
    var waitsForWork: UnsafeContinuation<Void, Never>?
    var cause: (any Error)?
    /// What could not be released behind consumers that had left.
    var failures: [CleanUpFailure] = []
  }

  /// What it is called, for whoever waits for it.
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

  /// The turn that the present task belongs to; nil outside one, and once it has ended.
  public static var current: Turn? {
    guard let turn = Run.current?.turn else { return nil }
    return turn.lock.whileHeld { turn.state.phase == .ended } ? nil : turn
  }

  /// The scheduler whose turn this is, or was asked for; nil while the run has reached no operation.
  public var scheduler: SerialScheduler? {
    lock.whileHeld {
      switch state.slot {
      case .none: nil
      case .asked(let scheduler), .begun(let scheduler), .withdrawn(let scheduler),
        .lent(let scheduler, _):
        scheduler
      }
    }
  }

  // MARK: What is released

  /// Has `release` called at the end of this turn, unless the entry leaves before.
  ///
  /// - Parameters:
  ///   - what: What is released, for the error when that fails: "the link to Thermo-1".
  ///   - release: Gives it back. Called at most once, on the scheduler's loop; soon, when the turn
  ///     has ended already.
  public func enter(
    _ what: String,
    release: @escaping @Sendable () async throws -> Void
  ) -> Entry {
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

  /// Removes an entry: it was released, or is to be kept. Does nothing when it is not there.
  public func leave(_ entry: Entry) {
    lock.whileHeld { state.owned.removeAll { $0.id == entry.id } }
  }

  // MARK: Cancellation

  /// Why the turn was cancelled, if it was.
  public var cancellationCause: (any Error)? { lock.whileHeld { state.cause } }

  /// Cancels the work of the turn; its clean-up still runs.
  ///
  /// - Parameter cause: What the turn's caller gets. The first cause wins.
  public func cancel(_ cause: any Error = CancellationError()) {
    let (work, waiting): ([Work], [Completion<Void>]) = lock.whileHeld {
      if state.cause == nil { state.cause = cause }
      guard case .asked(let scheduler) = state.slot, scheduler.withdraw(self) else {
        return (state.work, [])
      }
      state.slot = .withdrawn(scheduler)
      defer { state.waiting = [] }
      return (state.work, state.waiting)
    }
    main.cancel()
    for work in work where !work.isCleanUp { work.cancel() }
    for completion in waiting { completion.fail(cause) }
  }

  /// Whether the turn was cancelled before it began.
  var isWithdrawn: Bool {
    lock.whileHeld { if case .withdrawn = state.slot { true } else { false } }
  }

  // MARK: The turn of a scheduler

  /// Waits until the run has the turn of `scheduler`, and asks for it the first time.
  ///
  /// - Throws: ``OtherScheduler`` when it has, or has asked for, the turn of another; ``TurnEnded``;
  ///   ``LoopShutDown``.
  nonisolated(nonsending)
    func take(_ scheduler: SerialScheduler, for operation: String, in run: Run) async throws
  {
    if try ask(scheduler, for: operation, isCleanUp: run.isCleanUp) { return }
    try await begun(scheduler, for: "waiting for a turn of \(scheduler.name)")
  }

  /// Asks for the turn of `scheduler`, unless the run has done so.
  ///
  /// - Returns: Whether it has begun.
  @discardableResult
  func ask(
    _ scheduler: SerialScheduler,
    for operation: String,
    isCleanUp: Bool = false
  ) throws -> Bool {
    enum Answer { case begun, waits, asked, ended, shutDown, other(SerialScheduler) }
    let answer: Answer = lock.whileHeld {
      switch state.slot {
      case .begun(let present): return present === scheduler ? .begun : .other(present)
      case .asked(let present), .withdrawn(let present):
        return present === scheduler ? .waits : .other(present)
      case .lent(let present, _): return .other(present)
      case .none:
        guard state.phase == .open || (isCleanUp && state.phase == .ending) else { return .ended }
        // Under the lock, so that a turn that ends meanwhile is not left in the queue.
        guard let begins = scheduler.admit(self) else { return .shutDown }
        state.slot = begins ? .begun(scheduler) : .asked(scheduler)
        return .asked
      }
    }
    switch answer {
    case .begun: return true
    case .waits: return false
    case .asked:
      // Whatever the run waits for happens there.
      scheduler.loop.hold()
      return lock.whileHeld { if case .begun = state.slot { true } else { false } }
    case .ended: throw ended(before: operation)
    case .shutDown: throw LoopShutDown()
    case .other(let present):
      throw OtherScheduler(operation: operation, present: present.name, wanted: scheduler.name)
    }
  }

  /// Waits until the turn of `scheduler`, which was asked for, has begun.
  nonisolated(nonsending)
    func begun(_ scheduler: SerialScheduler, for operation: String) async throws
  {
    do {
      try await wait(on: loop, operation: operation) { (done: Completion<Void>) in
        let answer: Result<Void, any Error>? = lock.whileHeld {
          switch state.slot {
          case .begun: return .success(())
          case .asked where state.phase != .ended:
            state.waiting.append(done)
            return nil
          case .asked, .withdrawn, .none, .lent:
            return .failure(state.cause ?? CancellationError())
          }
        }
        if let answer { done.end(answer) }
      }
    } catch let error as TimedOut {
      let ofCause = (cancellationCause as? TimedOut)?.holder
      throw error.waiting(for: scheduler.holder(before: self) ?? ofCause)
    }
  }

  /// The scheduler gives this run its turn.
  func begin() {
    let waiting = lock.whileHeld {
      if case .asked(let scheduler) = state.slot { state.slot = .begun(scheduler) }
      defer { state.waiting = [] }
      return state.waiting
    }
    for completion in waiting { completion.succeed(()) }
  }

  /// Notes that the run asks for a turn of its own of `scheduler`, which it gives back before it goes
  /// on.
  ///
  /// - Returns: False when the run has a turn, or has asked for one, to its end.
  /// - Throws: ``OtherScheduler`` when it has asked for a turn of another.
  func beginSeparateTurn(of scheduler: SerialScheduler) throws -> Bool {
    let (mayBegin, other): (Bool, SerialScheduler?) = lock.whileHeld {
      switch state.slot {
      case .asked, .begun, .withdrawn: return (false, nil)
      case .lent(let present, _) where present !== scheduler: return (false, present)
      case .lent(_, let count): state.slot = .lent(scheduler, count + 1)
      case .none: state.slot = .lent(scheduler, 1)
      }
      return (true, nil)
    }
    guard let other else { return mayBegin }
    let operation = "a turn of \(scheduler.name)"
    throw OtherScheduler(operation: operation, present: other.name, wanted: scheduler.name)
  }

  /// That turn was given back.
  func endSeparateTurn() {
    lock.whileHeld {
      guard case .lent(let scheduler, let count) = state.slot else { return }
      state.slot = count > 1 ? .lent(scheduler, count - 1) : .none
    }
  }

  /// Checks that a signal with that home may be run in this turn.
  ///
  /// - Throws: ``OtherScheduler``.
  func requireHome(_ home: SerialScheduler?, for operation: String) throws {
    guard let home, let scheduler, home !== scheduler else { return }
    throw OtherScheduler(operation: operation, present: scheduler.name, wanted: home.name)
  }

  // MARK: The ledger of what was begun

  func ended(before operation: String) -> TurnEnded {
    TurnEnded(operation: operation, scheduler: scheduler?.name ?? "the run")
  }

  /// Whether the turn has begun to end.
  var isEnding: Bool { lock.whileHeld { state.phase != .open } }

  /// Work begins: the turn's end cancels it and waits for it. While the turn ends, only clean-up may.
  ///
  /// - Throws: ``TurnEnded``.
  func begin(_ operation: String, in run: Run?, of scope: TurnScope? = nil) throws(TurnEnded)
    -> Work
  {
    let work = Work(run?.cleanUp, of: scope)
    let (isIn, isCancelled) = lock.whileHeld {
      guard state.phase == .open || (work.isCleanUp && state.phase == .ending) else {
        return (false, false)
      }
      state.work.append(work)
      return (true, state.cause != nil && !work.isCleanUp)
    }
    guard isIn else { throw ended(before: operation) }
    if isCancelled { work.cancel() }
    return work
  }

  /// Work has ended.
  ///
  /// - Parameter result: What it came to, where nobody else may learn of it.
  func end(_ work: Work, _ result: Result<Void, any Error> = .success(())) {
    work.detach()
    let (waitsForWork, settling) = lock.whileHeld {
      state.work.removeAll { $0 === work }
      if work.isLeft, case .failure(let error as FailedWithCleanUp) = result {
        state.failures += error.cleanUp
      }
      var woken: (UnsafeContinuation<Void, Never>?, [Completion<Void>]) = (nil, [])
      if state.work.isEmpty { swap(&woken.0, &state.waitsForWork) }
      if !state.work.contains(where: \.isLeft) { swap(&woken.1, &state.settling) }
      return woken
    }
    waitsForWork?.resume()
    for completion in settling { completion.succeed(()) }
  }

  /// Does `body` in the present task as a part of the turn, whose end cancels that task and waits.
  func including<R>(
    _ operation: String,
    in run: Run,
    _ body: () async throws -> R
  ) async throws -> R {
    let work = try begin(operation, in: run)
    defer { end(work) }
    do {
      return try await withUnsafeCurrentTask { task in
        // `task` is used until `detach` returns, in the scope of this closure; any thread may cancel it.
        nonisolated(unsafe) let task = task
        work.attach { task?.cancel() }
        defer { work.detach() }
        return try await body()
      }
    } catch is CancellationError where isEnding && !work.isCleanUp {
      throw ended(before: operation)
    }
  }

  /// The consumers of work have left: it ends, before the next operation begins.
  func abandon(_ isChosen: (Work) -> Bool) {
    let chosen = lock.whileHeld {
      let chosen = state.work.filter(isChosen)
      for work in chosen { work.isLeft = true }
      return chosen
    }
    for work in chosen { work.cancel() }
  }

  /// Whether no work goes on that its consumers have left.
  var isSettled: Bool { lock.whileHeld { !state.work.contains(where: \.isLeft) } }

  /// Waits until that is so.
  nonisolated(nonsending)
    func settle() async throws
  {
    guard !isSettled else { return }
    try await wait(on: loop, operation: "ending an iteration") { (done: Completion<Void>) in
      let isSettled = lock.whileHeld {
        if !state.work.contains(where: \.isLeft) { return true }
        state.settling.append(done)
        return false
      }
      if isSettled { done.succeed(()) }
    }
  }

  /// What could not be released behind consumers that had left.
  func takeFailures() -> [CleanUpFailure] {
    lock.whileHeld {
      defer { state.failures = [] }
      return state.failures
    }
  }

  /// A clean-up has ended, and so does what it has begun and not awaited.
  func cleanUpEnded() {
    let left = lock.whileHeld { state.work.filter { $0.isOfCleanUp && !$0.isCleanUp } }
    for work in left { work.cancel() }
  }

  // MARK: The end

  /// Ends what was begun in the turn, releases what it owns, innermost first, and gives the turn back.
  ///
  /// - Parameters:
  ///   - result: What the work of the run came to: with what could not be released, it is what
  ///     `deliver` gets.
  ///   - deliver: Called between this turn and the next: whoever gets the result finds the scheduler
  ///     idle, and sees it before anything of the next turn.
  nonisolated(nonsending)
    func end(
      _ result: Result<Void, any Error>,
      _ deliver: (Result<Void, any Error>) -> Void
    ) async
  {
    var failures: [CleanUpFailure] = []
    while !close() {
      await endAllWork()
      failures += takeFailures()
      while let owned = lock.whileHeld({ state.owned.popLast() }) {
        do {
          let scheduler = scheduler
          try await shielded(
            on: scheduler?.loop ?? loop,
            limit: scheduler?.cleanUpLimit ?? .seconds(10),
            owned.release
          )
        } catch {
          failures.append(CleanUpFailure(what: owned.what, error: error))
        }
      }
    }
    failures += takeFailures()
    main.detach()
    let taken: SerialScheduler? = lock.whileHeld {
      switch state.slot {
      case .none, .lent: nil
      case .asked(let scheduler), .begun(let scheduler), .withdrawn(let scheduler): scheduler
      }
    }
    let next = taken?.release(self)
    deliver(Self.attach(failures, to: result))
    taken?.loop.wakeBlockedFromOutside()
    taken?.loop.letGo()
    next?.begin()
  }

  /// Nothing may begin any more but releases.
  ///
  /// - Returns: Whether there is nothing to wait for and nothing to release: the turn has ended.
  private func close() -> Bool {
    let (isDone, waiting): (Bool, [Completion<Void>]) = lock.whileHeld {
      let isDone = state.work.isEmpty && state.owned.isEmpty
      state.phase = isDone ? .ended : .ending
      guard isDone else { return (false, []) }
      defer { state.waiting = [] }
      return (true, state.waiting)
    }
    for completion in waiting { completion.fail(ended(before: "waiting for a turn")) }
    return isDone
  }

  nonisolated(nonsending)
    private func endAllWork() async
  {
    for work in lock.whileHeld({ state.work }).reversed() where !work.isCleanUp { work.cancel() }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isOver = lock.whileHeld {
        if state.work.isEmpty { return true }
        state.waitsForWork = continuation
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private static func attach(
    _ failures: [CleanUpFailure],
    to result: Result<Void, any Error>
  ) -> Result<Void, any Error> {
    guard !failures.isEmpty else { return result }
    switch result {
    case .success: return .failure(FailedWithCleanUp(cause: nil, cleanUp: failures))
    case .failure(let cause):
      // A consumer that stopped is not a failure: only the clean-up failed.
      let failed = Stopped.isThrown(cause) ? nil : cause
      return .failure(FailedWithCleanUp(cause: failed, cleanUp: failures))
    }
  }
}
