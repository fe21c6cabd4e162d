// Steps that fail: as expected, for the time being, or for good.

import Bluetooth
import Signals

extension ChainRun {
  /// Whether the run ends before its time.
  var isLeaving: Bool { Task.isCancelled || state.withLock { $0.consumerHasLeft } }

  /// Runs a step as often as its rule allows, while it fails transiently.
  ///
  /// - Parameter tries: Gets each try, where there is more than one.
  func attempt(
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    _ tries: inout [StepTry],
    _ sink: (StepResult) async throws -> Void
  ) async throws -> StepResult.Status {
    let policy = placed.step.retry.policy()
    var began: Instant? = loop.now
    func take(_ why: String?) {
      guard let start = began, why != nil || !tries.isEmpty else { return }
      tries.append(StepTry(began: start - begun, took: loop.now - start, why: why))
      began = nil
    }
    defer {
      state.withLock { $0.stepTry = nil }
      take(nil)
    }
    for number in 1..<policy.attempts {
      state.withLock { $0.stepTry = RunWait.Try(number, of: policy.attempts) }
      do {
        return try await act(once: placed, &outcome, sink)
      } catch {
        let failure = RunFailure(error, step: placed)
        guard failure.isWorthAnotherTry, !isLeaving, expectedFailure(error, of: placed) == nil
        else { throw error }
        take(failure.why)
      }
      outcome = nil
      let wait = policy.wait(before: number + 1)
      state.withLock { $0.stepTry = RunWait.Try(number + 1, of: policy.attempts) }
      awaits(placed, "waiting before the next try", limit: wait)
      try await loop.sleep(for: wait)
      began = loop.now
    }
    return try await act(once: placed, &outcome, sink)
  }

  private func act(
    once placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    _ sink: (StepResult) async throws -> Void
  ) async throws -> StepResult.Status {
    let status = try await act(placed, &outcome, sink)
    switch placed.step.expected {
    case .values: return status
    case .failure(let expected):
      throw ExpectationFailure(expected: "\(expected)", got: "success", octets: nil)
    }
  }

  /// The failure of a step that is as expected; nil for any other, and when the run was cancelled.
  func expectedFailure(_ error: any Error, of placed: PlacedStep) -> RunFailure? {
    guard case .failure(let expected) = placed.step.expected, !isLeaving else { return nil }
    let failure = RunFailure(error, step: placed)
    let att = (error as? DeviceFailure)?.att
    guard failure.code != .expectationNotMet, expected.includes(failure, att: att) else {
      return nil
    }
    return failure
  }

  /// How a step ends that failed, its failure where it is the first cause, and what the run ends
  /// with; nil when it goes on.
  func failed(
    _ placed: PlacedStep,
    _ error: any Error,
    isCleanUp: Bool
  ) -> (StepResult.Status, RunFailure?, (any Error)?) {
    let isCancelled = Task.isCancelled || (!isCleanUp && state.withLock { $0.consumerHasLeft })
    let cause = isCancelled ? Self.cancellation(error) : unexpected(error, in: placed)
    let goesOn = placed.step.onFailure == .continue && !isLeaving
    let failure = RunFailure(cause, step: placed)
    let isFirst = state.withLock { state in
      if state.consumerHasLeft, !isCleanUp { return false }
      let isFirst = isCleanUp || state.failedAt == nil
      if !isCleanUp, isFirst { state.failedAt = placed }
      if goesOn {
        state.continuedAfter = state.continuedAfter ?? (state.failedAt ?? placed, failure)
        state.failedAt = nil
      }
      return isFirst
    }
    let status = isCancelled ? StepResult.Status.cancelled : .failed
    return (status, isFirst ? failure : nil, goesOn ? nil : isCancelled ? error : cause)
  }

  /// Ends a run whose steps have all run with the first failure that it continued after.
  func failAtEnd() throws(RunFailure) {
    guard let continuedAfter = state.withLock({ $0.continuedAfter }) else { return }
    state.withLock { $0.failedAt = continuedAfter.step }
    throw continuedAfter.failure
  }

  /// The error of a step, which names the failure that was expected instead.
  private func unexpected(_ error: any Error, in placed: PlacedStep) -> any Error {
    guard case .failure(let expected) = placed.step.expected,
      let failure = error as? DeviceFailure
    else { return error }
    return failure.with(meaning: "\(failure.meaning), where the chain expects \(expected)")
  }
}

extension RetryRule {
  /// The rule for signals. The wait never exceeds 30 s, unless the first one does.
  ///
  /// - Parameter retries: Whether an error is worth another try.
  func policy(
    retries: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) -> RetryPolicy {
    RetryPolicy(
      attempts: max(1, attempts),
      backoff: backoff,
      backoffLimit: max(.seconds(30), backoff),
      retries: retries
    )
  }
}
