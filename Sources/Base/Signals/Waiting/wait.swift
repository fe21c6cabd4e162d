// The leaf of every operation that waits: for a reply, a condition, a timer.

/// Waits until something ends the completion that `start` is given.
///
/// Resumes at once when the task is cancelled, whatever the awaited thing does: with ``TimedOut``
/// when a deadline around it cancelled it, else with `CancellationError`. When the task was
/// cancelled before, `start` is not called.
///
/// - Parameters:
///   - loop: The loop whose clock measures `limit`.
///   - operation: What is being waited for, for the error: "reading battery-level".
///   - limit: A deadline of this wait's own, beside those carried down to it.
///   - fallback: The deadline where there is no other: the wait is spared a timer of its own in
///     work that is limited anyway.
///   - start: Begins the awaited thing. Called on the calling task, before it suspends. It may end
///     the completion at once, or keep it and end it later, from any thread.
/// - Throws: What `start` or the completion failed with, ``TimedOut``, `CancellationError`, or
///   ``LoopShutDown``.
@inlinable
@inline(__always)
nonisolated(nonsending)
  public func wait<R: Sendable>(
    on loop: Loop, operation: String, limit: Duration? = nil, otherwise fallback: Duration? = nil,
    start: (Completion<R>) throws -> Void
  ) async throws -> R
{
  let run = Run.present
  if Task.isCancelled { throw cancellation(of: operation, in: run) }
  let completion = Completion<R>()
  var timer: LoopTimer?
  defer { timer?.cancel() }
  // Work of ours has somebody who turns the loop for it; a task from elsewhere does not.
  if run == nil { loop.hold() }
  defer { if run == nil { loop.letGo() } }
  if let limit = limit ?? (run?.isLimited == true ? nil : fallback) {
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
  // The handler is called at once when the task has been cancelled meanwhile.
  return try await withTaskCancellationHandler {
    try await withUnsafeThrowingContinuation { completion.install($0) }
  } onCancel: {
    completion.fail(cancellation(of: operation, in: run))
  }
}

/// What a wait fails with whose task was cancelled.
@usableFromInline
func cancellation(of operation: String, in run: Run?) -> any Error {
  guard let passed = run?.deadline?.passed else { return CancellationError() }
  return TimedOut(operation: operation, after: passed.limit, limitOf: passed.name)
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
