// What a task carries down to the waits it makes: its loop, its turn, its deadline.

import Synchronization

/// The surroundings of a piece of work, inherited by its child tasks.
///
/// They may put a deadline on it: that of a blocking call, a turn, `timeout` or a clean-up. Each
/// deadline has one timer, which marks it expired and cancels the work. A wait that is cancelled this
/// way fails with ``TimedOut``, which names the operation, instead of as cancelled.
///
/// An alarm, so that a kind of work that a loop ends by itself needs no timer beside it: see
/// ``TurnRequest``.
@usableFromInline
class Carried: Alarm, @unchecked Sendable {
  // `heapIndex` is protected by the lock of the loop, `ownWait` by `lock`; all else is constant or
  // atomic.
  @TaskLocal static var current: Carried?

  @exclusivity(unchecked) final var heapIndex = -1

  final let loop: Loop
  final let turn: Turn?
  /// How long the work may take; nil when it has no deadline of its own.
  final let limit: Duration?
  /// Whose limit it is, for the error.
  final let limitOf: String?
  /// When the limit has passed.
  final let instant: Instant?
  /// Whose deadlines hold as well.
  private let outer: Carried?
  private let expired = Atomic(false)
  /// Whether this is for a task that its maker awaits, before the turn of both can end.
  private let isBranch: Bool
  /// Whether this is for work that has left the loop.
  final let isAway: Bool
  /// The task that does the work itself, while it does.
  private let ownTask = Atomic<UInt>(0)
  /// The task that has ended when the turn ends, while it lives: the one that does its work, or one
  /// that this one awaits.
  private let coveredTask = Atomic<UInt>(0)
  private let lock = Lock()
  @exclusivity(unchecked) private var ownWait = OwnWait.none

  /// - Parameters:
  ///   - outer: The surroundings whose deadlines hold as well.
  ///   - isBranch: Whether this is for a task that the turn's end covers: see ``adoptBranch()``.
  ///   - isAway: Whether this is for work on another executor than the loop.
  init(
    loop: Loop,
    turn: Turn? = nil,
    limit: Duration? = nil,
    limitOf: String? = nil,
    inside outer: Carried? = nil,
    isBranch: Bool = false,
    isAway: Bool = false
  ) {
    self.loop = loop
    self.turn = turn
    self.limit = limit
    self.limitOf = limitOf
    self.outer = outer
    self.isBranch = isBranch
    self.isAway = isAway
    instant = limit.map { loop.now + $0 }
  }

  /// The limit has passed.
  func fire() { expire() }

  /// Marks the limit as passed.
  final func expire() { expired.store(true, ordering: .releasing) }

  /// Whether the limit of its own has passed.
  final var isExpired: Bool { expired.load(ordering: .acquiring) }

  /// The innermost limit that has passed, this one or one around it, and whose it is.
  final var passedLimit: (limit: Duration, of: String?)? {
    isExpired ? limit.map { ($0, limitOf) } : outer?.passedLimit
  }

  /// Whether there is a deadline, here or around.
  @usableFromInline final var isLimited: Bool { limit != nil || outer?.isLimited == true }

  /// The earliest instant of the deadlines here and around.
  final var earliest: Instant? {
    guard let outer, var outside = outer.earliest else { return instant }
    // Instants of two loops are compared by what is left until they come.
    if outer.loop !== loop { outside = loop.now + (outside - outer.loop.now) }
    return instant.map { min($0, outside) } ?? outside
  }

  // MARK: The wait of the work's own task

  private enum OwnWait {
    case none
    case waiting(any Failing, operation: String)
    case cancelled
  }

  /// Has the present task known as the one that does the work: ``cancelOwnWait()`` ends its waits.
  ///
  /// That spares it the cancellation handler of the runtime, which costs more than the rest of the
  /// wait. Its child tasks can be cancelled by others, and keep it.
  final func adoptTask() {
    let task = Self.presentTask
    ownTask.store(task, ordering: .relaxed)
    coveredTask.store(task, ordering: .relaxed)
  }

  /// Has the present task known as one that its maker awaits, if it is.
  final func adoptBranch() {
    if isBranch { coveredTask.store(Self.presentTask, ordering: .relaxed) }
  }

  /// The present task ends: another one may get its identity.
  final func leaveTask() {
    ownTask.store(0, ordering: .relaxed)
    coveredTask.store(0, ordering: .relaxed)
  }

  /// Whether this is the work's own task, and none of its children.
  @usableFromInline final var isOwnTask: Bool {
    let own = ownTask.load(ordering: .relaxed)
    return own != 0 && own == Self.presentTask
  }

  /// Whether the present task has ended when the turn ends, because the work of the turn awaits it.
  final var isCovered: Bool {
    let covered = coveredTask.load(ordering: .relaxed)
    return covered != 0 && covered == Self.presentTask
  }

  /// Identifies the present task while it lives; 0 outside a task.
  private static var presentTask: UInt {
    withUnsafeCurrentTask { unsafeBitCast($0, to: UInt.self) }
  }

  /// The own task is about to suspend until `wait` ends; which it does now when it was cancelled.
  @usableFromInline
  final func beginOwnWait(_ wait: any Failing, operation: String) {
    let isCancelled = lock.whileHeld {
      if case .cancelled = ownWait { return true }
      ownWait = .waiting(wait, operation: operation)
      return false
    }
    if isCancelled { wait.fail(cancellation(of: operation, in: self)) }
  }

  @usableFromInline
  final func endOwnWait() {
    lock.whileHeld { if case .waiting = ownWait { ownWait = .none } }
  }

  /// Ends the wait of the own task, and those that it begins later. Called with its cancellation.
  final func cancelOwnWait() {
    let before = lock.whileHeld {
      defer { ownWait = .cancelled }
      return ownWait
    }
    guard case .waiting(let wait, let operation) = before else { return }
    wait.fail(cancellation(of: operation, in: self))
  }

  /// What the present task carries, for waits that are compiled elsewhere.
  @usableFromInline static var present: Carried? { current }
}

extension Carried {
  /// What a task carries that an operator makes, and awaits before it ends itself.
  ///
  /// - Parameters:
  ///   - loop: Where the task runs; here, when nil.
  ///   - limit: A deadline of its own, beside those that hold here.
  ///   - limitOf: Whose deadline that is.
  ///   - isAway: Whether the work leaves the loop.
  static func branch(
    on loop: Loop,
    limit: Duration? = nil,
    limitOf: String? = nil,
    isAway: Bool = false
  ) -> Carried {
    let here = current
    return Carried(
      loop: loop,
      turn: here?.turn,
      limit: limit,
      limitOf: limitOf,
      inside: here,
      isBranch: here?.isCovered ?? false,
      isAway: isAway
    )
  }

  /// Runs `body` in the present task, which was made for this or awaits it.
  func whileBranching<R>(
    _ body: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    adoptBranch()
    defer { leaveTask() }
    return try await Self.$current.withValue(self) { try await body() }
  }

  /// The loop of the present work.
  ///
  /// - Throws: ``NotOnLoop`` outside a loop.
  static func requireLoop() throws(NotOnLoop) -> Loop {
    guard let loop = current?.loop else { throw NotOnLoop() }
    return loop
  }
}

/// A signal that needs a loop was run in a task that belongs to none.
public struct NotOnLoop: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error of a signal that was run on no loop.
  public init() {}

  /// What went wrong, and what to do about it.
  public var description: String {
    "this signal needs a loop: start it with firstOrDefault, first, observe or Loop.task"
  }
}

/// A wait that can be ended from outside by a failure.
@usableFromInline
protocol Failing: AnyObject, Sendable {
  @discardableResult
  func fail(_ error: any Error) -> Bool
}

extension Completion: Failing {}
