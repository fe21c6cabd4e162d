// What a task carries down to the waits it makes: its loop, its turn, its deadline.

import Synchronization

/// The surroundings of a piece of work, inherited by its child tasks.
///
/// They may put a deadline on it: that of a blocking call, a turn, `timeout` or a clean-up. Whoever
/// sets one arms one timer, which marks it expired and cancels the work. A wait that is cancelled so
/// says that it timed out, and at what, instead of that it was cancelled.
@usableFromInline
final class Carried: Sendable {
  @TaskLocal static var current: Carried?

  let loop: Loop
  let turn: Turn?
  /// How long the work may take; nil when it has no deadline of its own.
  let limit: Duration?
  /// When the limit has passed.
  let instant: Instant?
  /// Whose deadlines hold as well.
  private let outer: Carried?
  private let expired = Atomic(false)

  /// - Parameter outer: The surroundings whose deadlines hold as well.
  init(loop: Loop, turn: Turn? = nil, limit: Duration? = nil, inside outer: Carried? = nil) {
    self.loop = loop
    self.turn = turn
    self.limit = limit
    self.outer = outer
    instant = limit.map { loop.now + $0 }
  }

  /// The limit has passed.
  func expire() { expired.store(true, ordering: .releasing) }

  /// Whether the limit of its own has passed.
  var isExpired: Bool { expired.load(ordering: .acquiring) }

  /// The innermost limit that has passed, this one or one around it.
  var passedLimit: Duration? {
    isExpired ? limit : outer?.passedLimit
  }

  /// The earliest instant of the deadlines here and around.
  var earliest: Instant? {
    guard let outside = outer?.earliest else { return instant }
    return instant.map { min($0, outside) } ?? outside
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
