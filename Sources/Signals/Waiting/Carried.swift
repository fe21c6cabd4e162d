// What a task carries down to the waits it makes: its loop, its turn, its deadline.

/// The surroundings of a piece of work, inherited by its child tasks.
@usableFromInline
struct Carried: Sendable {
  @TaskLocal static var current: Carried?

  var loop: Loop
  var turn: Turn?
  var deadline: DeadlineScope?

  /// Whether the present task does work of a loop, and under which deadline: for waits, which are
  /// compiled elsewhere.
  @usableFromInline static var present: (isOurs: Bool, deadline: DeadlineScope?) {
    guard let current else { return (false, nil) }
    return (true, current.deadline)
  }
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
