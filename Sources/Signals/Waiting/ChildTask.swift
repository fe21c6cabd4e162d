// A task beside the present one, which its parent always awaits.
//
// It has no values of its own: they go through a Handoff or a Mailbox.

/// A task that inherits the turn and the deadlines of the task that starts it.
struct ChildTask: Sendable {
  let task: Task<Void, Never>

  /// Starts `body` on `loop`.
  ///
  /// - Parameter carried: What it carries; when nil, what the present task does.
  init(
    on loop: Loop,
    carrying carried: Carried? = nil,
    _ body: @escaping @Sendable () async -> Void
  ) {
    let carried = carried ?? Carried.branch(on: loop)
    task = Task(executorPreference: loop) { await carried.whileBranching { await body() } }
  }

  func cancel() { task.cancel() }

  /// Waits for the end, clean-up included, also when the calling task is cancelled.
  func ended() async { await task.value }

  /// Cancels the task and waits for its end.
  func end() async {
    cancel()
    await ended()
  }
}
