// The task-local context of work: its loop, its turn and its deadline.
//
// Immutable. Work that changes one of them runs with a new context.

/// The context of a piece of work, inherited by every task started in it.
@usableFromInline
final class TaskContext: Sendable {
  @TaskLocal static var current: TaskContext?

  /// The loop that runs the tasks and measures the waits.
  let loop: Loop
  /// The turn that owns the work; nil for work outside turns.
  let turn: Turn?
  /// The innermost deadline.
  let deadline: Deadline?
  /// The deadline of the clean-up that this work is part of; until it ends, the work may start
  /// operations although the turn is ending. Nil outside clean-ups.
  let cleanUp: Deadline?
  /// The executor that handles the values of operations: the loop, or the one given to
  /// `deliver(on:)`.
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

  /// Whether this work belongs to a clean-up that is still running.
  var isCleanUp: Bool { cleanUp?.isOver == false }

  /// The current context with another loop, deadline or executor.
  static func branch(
    on loop: Loop, deadline: Deadline? = nil, executor: (any TaskExecutor)? = nil
  ) -> TaskContext {
    let here = current
    return TaskContext(
      loop: loop, turn: here?.turn, deadline: deadline ?? here?.deadline, cleanUp: here?.cleanUp,
      executor: executor
    )
  }

  /// The context of the current task, for inlinable code.
  @usableFromInline static var present: TaskContext? { current }

  /// Records a failure of the current work before its clean-up runs: ``Deadline/note(_:)``.
  @usableFromInline
  static func note(_ error: (any Error)?) { current?.deadline?.note(error) }

  /// Records that the consumer has its value.
  @usableFromInline
  static func noteValue() { note(Stopped.stopped) }

  /// Whether there is a deadline.
  @usableFromInline var isLimited: Bool { deadline != nil }
}

/// A signal that needs a loop was run in a task that belongs to none.
public struct NotOnLoop: Error, Equatable, Sendable, CustomStringConvertible {
  /// The error of a signal that was run on no loop.
  public init() {}

  /// The failure and its remedy.
  public var description: String {
    "this signal needs a loop: start it with firstOrDefault, first, observe or Loop.task"
  }
}
