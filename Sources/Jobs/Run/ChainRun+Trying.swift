// A `try` and its `finally`.

import Bluetooth
import Signals

extension ChainRun {
  /// Runs the steps, then those of `finally`, whatever the outcome of the first.
  ///
  /// The `finally` steps are shielded: neither cancellation nor the deadline of the run interrupts
  /// them, but their own limit does. The first cause is reported; a failure of `finally` is
  /// attached to it, or is the cause when everything else succeeded.
  func attempt(
    _ steps: [Step],
    finally last: [Step],
    _ placed: PlacedStep,
    _ sink: (StepResult) async throws -> Void
  ) async throws {
    let hasFailed = Guarded(false)
    let results = Guarded<[StepResult]>([])
    let limit = placed.step.timeout ?? runner.service.scheduler.cleanUpLimit
    let bracket = Signal<StepResult>.using(
      acquire: .just(self),
      release: { run in
        Signal { sink in
          let isCleanUp = hasFailed.withLock { $0 }
          let place = placed.position.finally
          try await run.performAll(last, inside: place, isCleanUp: isCleanUp) { result in
            results.withLock { $0.append(result) }
          }
          try await sink(())
        }
      },
      releaseLimit: limit
    ) { run in
      Signal { sink in
        do {
          try await run.performAll(steps, inside: placed.position, sink)
        } catch {
          hasFailed.withLock { $0 = true }
          throw error
        }
      }
    }
    do {
      try await bracket.run(sink)
    } catch let error as FailedWithCleanUp where error.cause == nil {
      throw error.cleanUp.first?.error ?? error
    }
    for result in results.withLock({ $0 }) { try await sink(result) }
  }
}
