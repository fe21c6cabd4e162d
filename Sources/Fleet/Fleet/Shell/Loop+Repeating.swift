// Periodic work of a shell.

package import Signals

extension Loop {
  /// Runs the body now, and again after each pause, until it throws or the task is cancelled.
  package func repeatedly(
    every pause: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, any Error> {
    task { [self] in
      while true {
        try await body()
        try await sleep(for: pause)
      }
    }
  }
}
