// Clean-up that the cancellation of its work does not cut short.

/// Runs `body` to its end, even if the calling task is or becomes cancelled.
///
/// The deadlines of the calling task do not apply: `limit` does. `body` runs in its own task on
/// `loop`, in the current turn.
///
/// - Parameters:
///   - loop: The loop that runs `body` and measures `limit`.
///   - limit: How long `body` may take before it is cancelled itself.
///   - body: The clean-up.
/// - Throws: The error of `body`; ``TimedOut`` from the wait that `limit` interrupted.
public func shielded<R: Sendable>(
  on loop: Loop, limit: Duration, _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
  let turn = TaskContext.current?.turn
  let deadline = Deadline(limit, of: "the clean-up", on: loop)
  let context = TaskContext(loop: loop, turn: turn, deadline: deadline, cleanUp: deadline)
  let task = TaskContext.$current.withValue(context) {
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
