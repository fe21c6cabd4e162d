// A task beside the present one, which its parent always awaits.
//
// It has no values of its own: they go through a Handoff or a Mailbox.

/// A task that inherits the turn and the deadlines of the task that starts it.
struct ChildTask: Sendable {
  let task: Task<Void, Never>

  /// Starts `body` on `loop`.
  ///
  /// - Parameter run: Its surroundings; when nil, those of the present task.
  init(on loop: Loop, in run: Run? = nil, _ body: @escaping @Sendable () async -> Void) {
    task = Run.$current.withValue(run ?? .branch(on: loop)) {
      Task(executorPreference: loop) { await body() }
    }
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
