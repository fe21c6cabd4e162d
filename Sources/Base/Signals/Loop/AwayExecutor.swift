// An executor beside a virtual loop, whose work time stands still for.
//
// It runs nothing itself: its jobs run on the executor that it stands for.

/// An executor that reports how many of its jobs are queued or run.
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
      // What the job has queued on the loop is there by now.
      report(-1)
    }
  }
}
