// Threads for tests that block: one that waits for a child process holds its thread.
//
// The cooperative pool has a thread for each core. Two tests that block it would stop all others on
// two cores, those with deadlines too.

import Foundation
package import Testing

/// A few threads of their own for tests that block.
private final class BlockingThreads: TaskExecutor {
  static let all = BlockingThreads()

  private let queue = OperationQueue()

  init() {
    // Children beside one another, on few cores.
    queue.maxConcurrentOperationCount = 6
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs a suite's tests on threads of their own.
package struct Blocking: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(BlockingThreads.all) { try await function() }
  }
}

extension Trait where Self == Blocking {
  /// The tests block their thread, for instance until a child process has ended.
  package static var blocking: Self { Self() }
}
