// What a task carries down to the waits it makes: its loop, its turn, its deadline.

import Synchronization

/// The surroundings of a piece of work, inherited by its child tasks.
///
/// They may put a deadline on it: that of a blocking call, a turn, `timeout` or a clean-up. Whoever
/// sets one arms one timer, which marks it expired and cancels the work. A wait that is cancelled so
/// says that it timed out, and at what, instead of that it was cancelled.
///
/// An alarm, so that a kind of work that a loop ends by itself needs no timer beside it: see
/// ``TurnRequest``.
@usableFromInline
class Carried: Alarm, @unchecked Sendable {
  @TaskLocal static var current: Carried?

  final let loop: Loop
  final let turn: Turn?
  /// How long the work may take; nil when it has no deadline of its own.
  final let limit: Duration?
  /// When the limit has passed.
  final let instant: Instant?
  /// Whose deadlines hold as well.
  private let outer: Carried?
  private let expired = Atomic(false)
  /// The task that does the work itself; written by it before anything else, then only read.
  private var ownTask: UInt = 0
  // `lock` protects `ownWait`.
  private let lock = Lock()
  @exclusivity(unchecked) private var ownWait = OwnWait.none

  /// - Parameter outer: The surroundings whose deadlines hold as well.
  init(loop: Loop, turn: Turn? = nil, limit: Duration? = nil, inside outer: Carried? = nil) {
    self.loop = loop
    self.turn = turn
    self.limit = limit
    self.outer = outer
    instant = limit.map { loop.now + $0 }
    super.init()
  }

  /// The limit has passed.
  override func fire() { expire() }

  /// Marks the limit as passed.
  final func expire() { expired.store(true, ordering: .releasing) }

  /// Whether the limit of its own has passed.
  final var isExpired: Bool { expired.load(ordering: .acquiring) }

  /// The innermost limit that has passed, this one or one around it.
  final var passedLimit: Duration? {
    isExpired ? limit : outer?.passedLimit
  }

  /// Whether there is a deadline, here or around.
  @usableFromInline final var isLimited: Bool { limit != nil || outer?.isLimited == true }

  /// The earliest instant of the deadlines here and around.
  final var earliest: Instant? {
    guard let outside = outer?.earliest else { return instant }
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
  final func adoptTask() { ownTask = Self.presentTask }

  /// Whether this is the work's own task, and none of its children.
  @usableFromInline final var isOwnTask: Bool { ownTask != 0 && ownTask == Self.presentTask }

  /// Which task this is, told from others while it lives; 0 outside one.
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
  public init() {}

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
