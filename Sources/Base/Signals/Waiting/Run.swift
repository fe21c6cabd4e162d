// What a task inherits from the work that began it: its loop, its turn, its deadline.

/// The surroundings of a piece of work: constant, and inherited by every task that is begun in it.
@usableFromInline
final class Run: Sendable {
  @TaskLocal static var current: Run?

  /// The clock of its waits, and where its tasks run.
  let loop: Loop
  /// What the work belongs to; nil for work that takes no turns.
  let turn: Turn?
  /// The innermost deadline.
  let deadline: Deadline?
  /// The deadline of the clean-up that this is; until it is over, work may begin although the turn ends.
  let cleanUp: Deadline?
  /// Where the values of operations are dealt with: the loop, unless the work has left it.
  let executor: any TaskExecutor

  init(
    loop: Loop, turn: Turn? = nil, deadline: Deadline? = nil, cleanUp: Deadline? = nil,
    executor: (any TaskExecutor)? = nil
  ) {
    self.loop = loop
    self.turn = turn
    self.deadline = deadline
    self.cleanUp = cleanUp
    self.executor = executor ?? loop
  }

  /// Whether this is clean-up that goes on.
  var isCleanUp: Bool { cleanUp?.isOver == false }

  /// The same work with another deadline, on another loop, or away from its loop.
  static func branch(
    on loop: Loop, deadline: Deadline? = nil, executor: (any TaskExecutor)? = nil
  ) -> Run {
    let here = current
    return Run(
      loop: loop, turn: here?.turn, deadline: deadline ?? here?.deadline, cleanUp: here?.cleanUp,
      executor: executor
    )
  }

  /// The surroundings of the present task, for waits that are compiled elsewhere.
  @usableFromInline static var present: Run? { current }

  /// Whether there is a deadline.
  @usableFromInline var isLimited: Bool { deadline != nil }
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
