// Work that a shell does again and again, at its pace.

package import Signals

extension Loop {
  /// Does something now, and again after each pause, until it fails or the task is cancelled.
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
