// An executor that holds virtual time while its jobs are queued or running.
//
// It runs nothing itself: it forwards its jobs to another executor.

/// Forwards jobs to an executor, and reports the change of their number.
final class AwayExecutor: TaskExecutor {
  private let executor: any TaskExecutor
  private let report: @Sendable (Int) -> Void

  init(_ executor: any TaskExecutor, _ report: @escaping @Sendable (Int) -> Void) {
    self.executor = executor
    self.report = report
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    report(1)
    _ = Task(executorPreference: executor) { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      // By now, everything that the job has queued on the loop is in its queue.
      report(-1)
    }
  }
}
