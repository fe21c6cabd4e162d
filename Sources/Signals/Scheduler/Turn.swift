// One turn of a scheduler, and the links that it owns.

/// A stretch of work that no other turn of the same scheduler overlaps, its clean-up included.
///
/// What is entered into a turn is released at its end, last in first out, each release shielded
/// from cancellation and within the scheduler's clean-up limit, before the next turn begins.
public final class Turn: @unchecked Sendable {
  /// Something the turn has to release.
  public struct Entry: Hashable, Sendable {
    let id: UInt64
  }

  private struct Owned {
    let id: UInt64
    let what: String
    let release: @Sendable () async throws -> Void
  }

  private struct State {
    var nextID: UInt64 = 0
    var owned: [Owned] = []
    /// The work of an async turn, until it has ended.
    var main: (task: Task<Void, Never>, carried: Carried)?
    /// What blocking code in the turn waits for.
    var work: [(id: UInt64, task: Task<Void, Never>)] = []
    var cause: (any Error)?
    var result: Result<Void, any Error>?
  }

  /// The scheduler whose turn this is.
  public let scheduler: SerialScheduler
  // `lock` protects `state`.
  private let lock = Lock()
  @exclusivity(unchecked) private var state = State()

  init(of scheduler: SerialScheduler) {
    self.scheduler = scheduler
  }

  /// The turn that the present task belongs to; nil outside one.
  public static var current: Turn? { Carried.current?.turn }

  /// Has `release` called at the end of this turn, unless the entry leaves before.
  ///
  /// - Parameters:
  ///   - what: What is released, for the error when that fails: "the link to Thermo-1".
  ///   - release: Gives it back. Called at most once, on the scheduler's loop.
  public func enter(
    _ what: String,
    release: @escaping @Sendable () async throws -> Void
  ) -> Entry {
    lock.whileHeld {
      state.nextID += 1
      state.owned.append(Owned(id: state.nextID, what: what, release: release))
      return Entry(id: state.nextID)
    }
  }

  /// Takes an entry out: it was released, or is to be kept. Does nothing when it is out already.
  public func leave(_ entry: Entry) {
    lock.whileHeld { state.owned.removeAll { $0.id == entry.id } }
  }

  /// Why the turn was cancelled, if it was.
  public var cancellationCause: (any Error)? { lock.whileHeld { state.cause } }

  /// Cancels the work of the turn; its clean-up still runs.
  ///
  /// - Parameter cause: What the turn's caller is told. The first cause wins.
  public func cancel(_ cause: any Error = CancellationError()) {
    let (main, work) = lock.whileHeld {
      if state.cause == nil { state.cause = cause }
      return (state.main, state.work)
    }
    main?.task.cancel()
    main?.carried.cancelOwnWait()
    for (_, task) in work { task.cancel() }
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

  /// What an async turn came to; nil until it has ended, its clean-up included.
  var result: Result<Void, any Error>? { lock.whileHeld { state.result } }

  var hasEnded: Bool { lock.whileHeld { state.result != nil } }

  func end(_ result: Result<Void, any Error>) {
    lock.whileHeld {
      state.result = result
      state.main = nil
    }
  }

  /// Has `task` cancelled when the turn is, at once if it was. Returns what ends that.
  func beginWork(_ task: Task<Void, Never>) -> UInt64 {
    let (id, isCancelled) = lock.whileHeld {
      state.nextID += 1
      state.work.append((state.nextID, task))
      return (state.nextID, state.cause != nil)
    }
    if isCancelled { task.cancel() }
    return id
  }

  func endWork(_ id: UInt64) {
    lock.whileHeld { state.work.removeAll { $0.id == id } }
  }

  var ownsNothing: Bool { lock.whileHeld { state.owned.isEmpty } }

  /// Releases everything that is still entered, innermost first.
  ///
  /// - Returns: What could not be released.
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
}

/// Something that could not be released.
public struct CleanUpFailure: Error, Sendable, CustomStringConvertible {
  /// What was to be released.
  public let what: String
  /// Why it could not be.
  public let error: any Error

  public init(what: String, error: any Error) {
    self.what = what
    self.error = error
  }

  public var description: String { "releasing \(what): \(error)" }
}

/// A failure whose clean-up failed as well, or work that went well but could not be cleaned up.
public struct FailedWithCleanUp: Error, Sendable, CustomStringConvertible {
  /// The first cause; nil when only the clean-up failed.
  public let cause: (any Error)?
  /// What could not be released.
  public let cleanUp: [CleanUpFailure]

  public init(cause: (any Error)?, cleanUp: [CleanUpFailure]) {
    self.cause = cause
    self.cleanUp = cleanUp
  }

  public var description: String {
    let released = cleanUp.map(\.description).joined(separator: "; ")
    guard let cause else { return released }
    return "\(cause) (and \(released))"
  }
}
