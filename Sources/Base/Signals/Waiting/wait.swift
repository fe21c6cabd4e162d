// The one function that suspends a task: for a reply, a condition or a timer.
//
// All other waits of the package are built on it.

/// Waits until the completion given to `start` is ended.
///
/// Throws at once when the task is cancelled, whatever the awaited operation does: ``TimedOut`` if
/// an enclosing deadline cancelled it, otherwise `CancellationError`. If the task is already
/// cancelled, `start` is not called.
///
/// - Parameters:
///   - loop: The loop whose clock measures `limit`.
///   - operation: The name of the wait, for the error: "reading battery-level".
///   - limit: A deadline for this wait, in addition to the enclosing ones.
///   - fallback: The deadline if there is no other one; saves a timer in work that already has a
///     deadline.
///   - start: Starts the awaited operation. Called on the calling task, before it suspends. It may
///     end the completion at once, or store it and end it later, from any thread.
/// - Throws: The error of `start` or of the completion, ``TimedOut``, `CancellationError`, or
///   ``LoopShutDown``.
@inlinable
@inline(__always)
nonisolated(nonsending)
  public func wait<R: Sendable>(
    on loop: Loop, operation: String, limit: Duration? = nil, otherwise fallback: Duration? = nil,
    start: (Completion<R>) throws -> Void
  ) async throws -> R
{
  let context = TaskContext.present
  if Task.isCancelled { throw cancellation(of: operation, in: context) }
  let completion = Completion<R>()
  var timer: LoopTimer?
  defer { timer?.cancel() }
  // Work with a context already holds its loop; a task from elsewhere does not.
  if context == nil { loop.hold() }
  defer { if context == nil { loop.endHold() } }
  if let limit = limit ?? (context?.isLimited == true ? nil : fallback) {
    timer = loop.after(limit) {
      completion.fail(TimedOut(operation: operation, after: limit))
    }
  }
  do {
    try start(completion)
  } catch {
    completion.fail(error)
    throw error
  }
  // If the task was cancelled meanwhile, the handler is called at once.
  return try await withTaskCancellationHandler {
    try await withUnsafeThrowingContinuation { completion.install($0) }
  } onCancel: {
    completion.fail(cancellation(of: operation, in: context))
  }
}

/// The error of a wait in a cancelled task: ``TimedOut`` if a deadline has passed.
@usableFromInline
func cancellation(of operation: String, in context: TaskContext?) -> any Error {
  guard let deadline = context?.deadline, let passed = deadline.passed else {
    return CancellationError()
  }
  let error = TimedOut(operation: operation, after: passed.limit, limitOf: passed.name)
  deadline.note(error)
  return error
}

extension Loop {
  /// Suspends the calling task for `duration` of this loop's time.
  ///
  /// - Throws: ``TimedOut`` or `CancellationError`, at once, when the task is cancelled.
  public final func sleep(for duration: Duration) async throws {
    let slot = Guarded<LoopTimer?>(nil)
    defer { slot.withLock { $0 }?.cancel() }
    try await wait(on: self, operation: "sleeping for \(duration)") { (done: Completion<Void>) in
      let timer = after(duration) { done.succeed(()) }
      slot.withLock { $0 = timer }
    }
  }
}
