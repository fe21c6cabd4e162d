// Threads for tests that block, for instance while they wait for a child process.
//
// The cooperative pool has one thread for each core. On two cores, two tests that block it would
// stop all other tests, including those with deadlines.

import Foundation
package import Testing

/// A few threads for tests that block.
private final class BlockingThreads: TaskExecutor {
  static let all = BlockingThreads()

  private let queue = OperationQueue()

  init() {
    // More than cores: most of these threads wait for child processes.
    queue.maxConcurrentOperationCount = 6
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.addOperation { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

/// Runs the tests of a suite on threads that they may block.
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
  /// For tests that block their thread, for instance until a child process has ended.
  package static var blocking: Self { Self() }
}
