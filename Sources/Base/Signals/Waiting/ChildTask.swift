// A structured child task on a loop, for operators that run signals concurrently.
//
// It returns no value: values go through a Handoff or a Mailbox. Its parent must await it.

/// A task that inherits the turn and the deadlines of its parent task.
struct ChildTask: Sendable {
  let task: Task<Void, Never>

  /// Starts `body` on `loop`.
  ///
  /// - Parameter context: The context of the task; nil inherits that of the calling task.
  init(on loop: Loop, in context: TaskContext? = nil, _ body: @escaping @Sendable () async -> Void)
  {
    task = TaskContext.$current.withValue(context ?? .branch(on: loop)) {
      Task(executorPreference: loop) { await body() }
    }
  }

  func cancel() { task.cancel() }

  /// Waits until the task has ended, clean-up included, even if the calling task is cancelled.
  func ended() async { await task.value }

  /// Cancels the task and waits for its end.
  func end() async {
    cancel()
    await ended()
  }
}
