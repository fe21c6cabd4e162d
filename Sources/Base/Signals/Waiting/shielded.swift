// Clean-up that the end of its work cannot cut short.

/// Runs `body` to its end although the calling task is, or will be, cancelled.
///
/// The calling task's deadlines do not reach it: it has its own. It runs in a task of its own on
/// `loop`, with the present turn.
///
/// - Parameters:
///   - loop: Where `body` runs, and whose clock measures `limit`.
///   - limit: How long `body` may take before it is cancelled itself.
///   - body: The clean-up.
/// - Throws: What `body` throws; ``TimedOut`` from the wait it was in when `limit` passed.
public func shielded<R: Sendable>(
  on loop: Loop, limit: Duration, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
  let turn = Run.current?.turn
  let deadline = Deadline(limit, of: "the clean-up", on: loop)
  let run = Run(loop: loop, turn: turn, deadline: deadline, cleanUp: deadline)
  let task = Run.$current.withValue(run) {
    Task(executorPreference: loop) { try await body() }
  }
  let timer = loop.after(limit) {
    deadline.expire()
    task.cancel()
  }
  defer {
    timer.cancel()
    deadline.end()
    turn?.cleanUpEnded()
  }
  return try await task.value
}
