// One turn of a scheduler: what it owns, and what was begun in it.

/// A stretch of work that no other turn of the same scheduler overlaps, its clean-up included.
///
/// A turn ends with everything that was begun in it. First the operations that still run, of tasks
/// that nobody awaited, are cancelled and awaited. Then what was entered into the turn is released,
/// last in first out, each release shielded from cancellation and within the scheduler's clean-up
/// limit. Only then does the next turn begin.
public final class Turn: @unchecked Sendable {
  // `state` is protected by `lock`.

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

  private struct State {
    var nextID: UInt64 = 0
    var phase = Phase.open
    var owned: [Owned] = []
    /// The work of an async turn, until it has ended.
    var main: (task: Task<Void, Never>, carried: Carried)?
    /// What was begun in the turn beside its own task, until that has ended.
    var work: [(id: UInt64, task: Task<Void, Never>?)] = []
    /// The turn's end, which waits until there is no such work.
    var waitsForWork: UnsafeContinuation<Void, Never>?
    /// The turn that a run without a home takes of the first operation that it reaches.
    var adopted: AdoptedTurn?
    /// The scheduler whose turns such a run takes one after the other, and how many it has asked for.
    var separate: (scheduler: SerialScheduler, count: Int)?
    var cause: (any Error)?
    var result: Result<Void, any Error>?
    /// Whether whoever blocked for the turn has left at its deadline.
    var isLeft = false
  }

  /// The scheduler whose turn this is.
  public let scheduler: SerialScheduler
  /// What it is called, for whoever waits for it.
  let name: TurnName
  /// Whether this stands for a run without a home, on a scheduler that nobody else knows.
  let isOfRun: Bool
  private let lock = Lock()
  @exclusivity(unchecked) private var state = State()

  init(of scheduler: SerialScheduler, named name: TurnName, isOfRun: Bool = false) {
    self.scheduler = scheduler
    self.name = name
    self.isOfRun = isOfRun
  }

  /// The turn that the present task belongs to; nil outside one, and once it has ended.
  public static var current: Turn? { Carried.current?.turn?.effective }

  /// The turn that a run has taken, or else this one.
  private var effective: Turn? {
    let (adopted, hasEnded) = lock.whileHeld { (state.adopted, state.phase == .ended) }
    if hasEnded { return nil }
    return adopted?.turnIfBegun ?? self
  }

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
    if isLate { _ = scheduler.loop.work { try? await release() } }
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
    let (main, work, adopted) = lock.whileHeld {
      if state.cause == nil { state.cause = cause }
      return (state.main, state.work, state.adopted)
    }
    adopted?.turn.noteCause(cause)
    main?.task.cancel()
    main?.carried.cancelOwnWait()
    for (_, task) in work { task?.cancel() }
  }

  private func noteCause(_ cause: any Error) {
    lock.whileHeld { if state.cause == nil { state.cause = cause } }
  }

  /// Has `task`, which is the work of the turn, cancelled with it, at once if it was.
  ///
  /// - Parameter carried: What the task carries.
  func run(_ task: Task<Void, Never>, carrying carried: Carried) {
    let isCancelled = lock.whileHeld {
      if state.result == nil { state.main = (task, carried) }
      return state.cause != nil
    }
    guard isCancelled else { return }
    task.cancel()
    carried.cancelOwnWait()
  }

  // MARK: The ledger of what was begun

  /// Checks that something may begin in this turn.
  ///
  /// - Throws: ``TurnEnded``.
  func requireOpen(for operation: String) throws(TurnEnded) {
    if lock.whileHeld({ state.phase != .open }) { throw ended(before: operation) }
  }

  func ended(before operation: String) -> TurnEnded {
    TurnEnded(operation: operation, scheduler: effectiveScheduler.name)
  }

  /// Enters work beside the turn's own task: the turn's end cancels it and waits for it.
  ///
  /// - Parameter isCovered: Whether the turn's own task awaits it: then it may begin while the turn
  ///   ends, as a part of a release.
  /// - Throws: ``TurnEnded``.
  func beginWork(_ operation: String, isCovered: Bool) throws(TurnEnded) -> UInt64 {
    let id: UInt64? = lock.whileHeld {
      guard state.phase == .open || (isCovered && state.phase == .ending) else { return nil }
      state.nextID += 1
      state.work.append((state.nextID, nil))
      return state.nextID
    }
    guard let id else { throw ended(before: operation) }
    return id
  }

  /// Has `task`, which does the work, cancelled with it, at once if it was.
  func attach(_ task: Task<Void, Never>, to id: UInt64, isCovered: Bool = false) {
    let isCancelled = lock.whileHeld {
      guard let index = state.work.firstIndex(where: { $0.id == id }) else { return false }
      state.work[index].task = task
      return !isCovered && (state.cause != nil || state.phase != .open)
    }
    if isCancelled { task.cancel() }
  }

  /// The work has ended.
  func endWork(_ id: UInt64) {
    let waiting: UnsafeContinuation<Void, Never>? = lock.whileHeld {
      state.work.removeAll { $0.id == id }
      guard state.work.isEmpty else { return nil }
      defer { state.waitsForWork = nil }
      return state.waitsForWork
    }
    waiting?.resume()
  }

  /// Whether the turn has begun to end.
  var isEnding: Bool { lock.whileHeld { state.phase != .open } }

  // MARK: The turn of a run

  /// The scheduler whose turn a run has taken or asked for, or else this turn's.
  var effectiveScheduler: SerialScheduler {
    lock.whileHeld { state.adopted }?.turn.scheduler ?? scheduler
  }

  /// The turn of `scheduler` for this run, which asks for it the first time.
  ///
  /// - Throws: ``OtherScheduler`` when the run has, or has asked for, the turn of another.
  func adopt(_ scheduler: SerialScheduler, for operation: String) throws -> AdoptedTurn {
    let new = AdoptedTurn(of: scheduler, for: self)
    let (adopted, separate) = lock.whileHeld {
      if state.adopted == nil, state.separate == nil { state.adopted = new }
      return (state.adopted ?? new, state.separate?.scheduler)
    }
    let present = separate ?? adopted.turn.scheduler
    guard separate == nil, present === scheduler else {
      throw OtherScheduler(operation: operation, present: present.name, wanted: scheduler.name)
    }
    if adopted === new { adopted.ask() }
    return adopted
  }

  /// Notes that the run asks for a turn of its own of `scheduler`, which it gives back before it goes
  /// on.
  ///
  /// - Returns: False when the run has a turn, or has asked for one, to its end.
  /// - Throws: ``OtherScheduler`` when it has asked for a turn of another.
  func beginSeparateTurn(of scheduler: SerialScheduler) throws -> Bool {
    let (mayBegin, other): (Bool, SerialScheduler?) = lock.whileHeld {
      if state.adopted != nil { return (false, nil) }
      let before = state.separate
      if let before, before.scheduler !== scheduler { return (false, before.scheduler) }
      state.separate = (scheduler, (before?.count ?? 0) + 1)
      return (true, nil)
    }
    guard let other else { return mayBegin }
    let operation = "a turn of \(scheduler.name)"
    throw OtherScheduler(operation: operation, present: other.name, wanted: scheduler.name)
  }

  /// That turn was given back.
  func endSeparateTurn() {
    lock.whileHeld {
      guard let (scheduler, count) = state.separate else { return }
      state.separate = count > 1 ? (scheduler, count - 1) : nil
    }
  }

  // MARK: The end

  /// What an async turn came to; nil until it has ended, its clean-up included.
  var result: Result<Void, any Error>? { lock.whileHeld { state.result } }

  var hasEnded: Bool { lock.whileHeld { state.result != nil } }

  /// The work of the turn has returned: nothing may begin any more but releases.
  ///
  /// - Returns: Whether that was all: there is nothing to wait for and nothing to release.
  func close() -> Bool {
    lock.whileHeld {
      let isDone = state.work.isEmpty && state.owned.isEmpty && state.adopted == nil
      state.phase = isDone ? .ended : .ending
      return isDone
    }
  }

  /// Ends what was begun in the turn, then releases what it owns, innermost first.
  ///
  /// - Returns: What could not be released.
  nonisolated(nonsending)
    func finish() async -> [CleanUpFailure]
  {
    var failures: [CleanUpFailure] = []
    repeat {
      await endAllWork()
      if let adopted = lock.whileHeld({ state.adopted }) {
        failures += await adopted.end()
        lock.whileHeld { state.adopted = nil }
      }
      failures += await releaseAll()
    } while !close()
    return failures
  }

  nonisolated(nonsending)
    private func endAllWork() async
  {
    for (_, task) in lock.whileHeld({ state.work }) { task?.cancel() }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isOver = lock.whileHeld {
        if state.work.isEmpty { return true }
        state.waitsForWork = continuation
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  nonisolated(nonsending)
    func releaseAll() async -> [CleanUpFailure]
  {
    var failures: [CleanUpFailure] = []
    while let owned = lock.whileHeld({ state.owned.popLast() }) {
      do {
        try await shielded(
          on: scheduler.loop,
          limit: scheduler.cleanUpLimit,
          owned.release
        )
      } catch {
        failures.append(CleanUpFailure(what: owned.what, error: error))
      }
    }
    return failures
  }

  /// The turn has ended, with a result.
  ///
  /// - Returns: Whether whoever blocked for it has left before.
  @discardableResult
  func end(_ result: Result<Void, any Error>) -> Bool {
    lock.whileHeld {
      state.phase = .ended
      state.result = result
      state.main = nil
      return state.isLeft
    }
  }

  /// Whoever blocks for the turn leaves before its end; false when it has ended.
  func leave() -> Bool {
    lock.whileHeld {
      if state.result == nil { state.isLeft = true }
      return state.isLeft
    }
  }
}
