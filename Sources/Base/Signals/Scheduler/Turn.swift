// The ledger of a run, and the turn of a scheduler that it has.
//
// What may run when: each function may be called on any thread, at any time; a lock guards the state, and is
// held for no call but those of the scheduler's queue, which has a lock of its own. `end` is the last thing
// that the task of the run does: while it awaits what was begun, nothing but clean-up may begin.

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
  private struct Slot {
    enum Stage: Equatable {
      case asked, begun
      /// The run was cancelled while it waited.
      case withdrawn
      /// The run takes turns one after the other, and has so many now.
      case lent(Int)
    }

    let scheduler: SerialScheduler
    var stage: Stage
  }

  /// What a wait for the turn comes to; nil as long as it goes on.
  private typealias Answer = @Sendable (State) -> Result<Void, any Error>?

  private struct State {
    var nextID: UInt64 = 0
    var phase = Phase.open
    /// Nil while the run has reached no operation.
    var slot: Slot?
    var owned: [Owned] = []
    var work: [Work] = []
    var waits: [(answer: Answer, done: Completion<Void>)] = []
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
  public var scheduler: SerialScheduler? { lock.whileHeld { state.slot?.scheduler } }

  // MARK: What is released

  /// Has `release` called at the end of this turn, unless the entry leaves before.
  ///
  /// - Parameters:
  ///   - what: What is released, for the error when that fails: "the link to Thermo-1".
  ///   - release: Gives it back. Called at most once, on the scheduler's loop; soon, when the turn
  ///     has ended already.
  public func enter(_ what: String, release: @escaping @Sendable () async throws -> Void) -> Entry {
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

  // MARK: Waits for a change

  /// Changes the state, and ends the waits that have their answers now.
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

  /// Ends `done` once there is an answer.
  private func end(_ done: Completion<Void>, with answer: @escaping Answer) {
    let present = lock.whileHeld {
      let present = answer(state)
      if present == nil {
        // Those that were cancelled stay until then.
        state.waits.removeAll { $0.done.hasEnded }
        state.waits.append((answer, done))
      }
      return present
    }
    if let present { done.end(present) }
  }

  // MARK: Cancellation

  /// Why the turn was cancelled, if it was.
  public var cancellationCause: (any Error)? { lock.whileHeld { state.cause } }

  /// Cancels the work of the turn; its clean-up still runs.
  ///
  /// - Parameter cause: What the turn's caller gets. Only the first cause counts.
  public func cancel(_ cause: any Error = CancellationError()) {
    let work = lock.whileHeld {
      if state.cause == nil { state.cause = cause }
      if let slot = state.slot, slot.stage == .asked, slot.scheduler.withdraw(self) {
        state.slot?.stage = .withdrawn
      }
      return state.work
    }
    main.cancel()
    for work in work where !work.isCleanUp { work.cancel() }
    // Behind the cancellation: a wait that a deadline ends names what it waits for.
    change { _ in }
  }

  /// Whether the turn was cancelled before it began.
  var isWithdrawn: Bool { lock.whileHeld { state.slot?.stage == .withdrawn } }

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
    _ scheduler: SerialScheduler, for operation: String, isCleanUp: Bool = false
  ) throws -> Bool {
    enum Reply { case begun, waits, asked, ended, shutDown, other(SerialScheduler) }
    let reply: Reply = lock.whileHeld {
      if let slot = state.slot {
        switch slot.stage {
        case .begun where slot.scheduler === scheduler: return .begun
        case .asked where slot.scheduler === scheduler: return .waits
        case .withdrawn where slot.scheduler === scheduler: return .waits
        case .begun, .asked, .withdrawn, .lent: return .other(slot.scheduler)
        }
      }
      guard state.phase == .open || (isCleanUp && state.phase == .ending) else { return .ended }
      // Under the lock, so that a turn that ends meanwhile is not left in the queue.
      guard let begins = scheduler.admit(self) else { return .shutDown }
      state.slot = Slot(scheduler: scheduler, stage: begins ? .begun : .asked)
      return .asked
    }
    switch reply {
    case .begun: return true
    case .waits: return false
    case .asked:
      // Whatever the run waits for happens there.
      scheduler.loop.hold()
      return lock.whileHeld { state.slot?.stage == .begun }
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
      try await wait(on: loop, operation: operation) { done in
        end(done) { state in
          switch state.slot?.stage {
          case .begun: .success(())
          case .asked where state.phase != .ended: nil
          case .asked:
            .failure(TurnEnded(operation: "waiting for a turn", scheduler: scheduler.name))
          case .withdrawn, .lent, nil: .failure(state.cause ?? CancellationError())
          }
        }
      }
    } catch let error as TimedOut {
      let ofCause = (cancellationCause as? TimedOut)?.holder
      throw error.waiting(for: scheduler.holder(before: self) ?? ofCause)
    }
  }

  /// The scheduler gives this run its turn.
  func begin() { change { if $0.slot?.stage == .asked { $0.slot?.stage = .begun } } }

  /// Notes that the run asks for a turn of its own of `scheduler`, which it gives back before it goes
  /// on.
  ///
  /// - Returns: False when the run has a turn, or has asked for one, to its end.
  /// - Throws: ``OtherScheduler`` when it has asked for a turn of another.
  func beginSeparateTurn(of scheduler: SerialScheduler) throws -> Bool {
    let (mayBegin, other): (Bool, SerialScheduler?) = lock.whileHeld {
      switch state.slot?.stage {
      case .asked, .begun, .withdrawn: return (false, nil)
      case .lent(let count):
        if let present = state.slot?.scheduler, present !== scheduler { return (false, present) }
        state.slot?.stage = .lent(count + 1)
      case nil: state.slot = Slot(scheduler: scheduler, stage: .lent(1))
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
      guard case .lent(let count)? = state.slot?.stage else { return }
      if count > 1 { state.slot?.stage = .lent(count - 1) } else { state.slot = nil }
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
    change { state in
      state.work.removeAll { $0 === work }
      if work.isLeft, case .failure(let error as FailedWithCleanUp) = result {
        state.failures += error.cleanUp
      }
    }
  }

  /// Does `body` in the present task as a part of the turn, whose end cancels that task and waits.
  func including<R>(
    _ operation: String, in run: Run, _ body: () async throws -> R
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
    try await wait(on: loop, operation: "ending an iteration") { done in
      end(done) { $0.work.contains(where: \.isLeft) ? nil : .success(()) }
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
    func end(_ result: Result<Void, any Error>, _ deliver: (Result<Void, any Error>) -> Void) async
  {
    var failures: [CleanUpFailure] = []
    while !close() {
      await endAllWork()
      failures += takeFailures()
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
    failures += takeFailures()
    main.detach()
    let taken: SerialScheduler? = lock.whileHeld {
      if case .lent = state.slot?.stage { nil } else { state.slot?.scheduler }
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
    // No `wait`: the cancellation of the task does not end it.
    try? await withUnsafeThrowingContinuation { done.install($0) }
  }

  private static func attach(
    _ failures: [CleanUpFailure], to result: Result<Void, any Error>
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
