// One step of a run: its tries, its limit, its outcome, its start and its end as events.
//
// What a kind of step does is in its file in Kinds.

import Bluetooth
import Documents
import Signals

final class StepRun: Sendable {
  private struct State {
    var outcome: StepOutcome?
    var isSkipped = false
    var tries: [StepTry] = []
    /// The try under way, where there may be several.
    var current: RunWait.Try?
    var remarks: [String] = []
    var warning: RunFailure?
  }

  let chain: ChainRun
  /// The step, with its captured values replaced.
  let placed: PlacedStep
  private let unfilled: RunFailure?
  private let state = Guarded(State())

  init(_ chain: ChainRun, _ written: PlacedStep) {
    self.chain = chain
    (placed, unfilled) = chain.filled(written)
  }

  var step: Step { placed.step }
  var plan: Plan { chain.runner.plan }
  var service: any Device { chain.runner.service }
  var loop: Loop { chain.loop }

  /// What came of it; of a step that fails, as far as it came.
  var outcome: StepOutcome? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }

  /// Whether nothing was to be done.
  var isSkipped: Bool {
    get { state.withLock { $0.isSkipped } }
    set { state.withLock { $0.isSkipped = newValue } }
  }

  /// The try under way, where there may be several.
  var stepTry: RunWait.Try? { state.withLock { $0.current } }

  func remark(_ text: String) { state.withLock { $0.remarks.append(text) } }

  /// Ends the step with a warning, unless it fails.
  func warn(_ failure: DeviceFailure) {
    state.withLock { $0.warning = RunFailure(failure, step: placed) }
  }

  // MARK: Running

  /// Runs the step, and reports its start and its end.
  func perform(isCleanUp: Bool) async throws {
    var reported = placed.reported
    if reported.beginsAttempt { reported.attempts = plan.retry.attempts }
    chain.emit(.stepStarted(reported))
    let start = loop.now
    var (status, failure) = (StepResult.Status.ok, RunFailure?.none)
    var thrown: (any Error)?
    do {
      if let unfilled { throw unfilled }
      try await runTries()
      if isSkipped { status = .skipped }
      if let warning = state.withLock({ $0.warning }) {
        (status, failure) = (.warning, warning)
        chain.countWarning()
      }
    } catch {
      failure = unfilled == nil ? expectedFailure(error) : nil
      if failure == nil {
        (status, failure, thrown) = chain.failed(placed, error, isCleanUp: isCleanUp)
      }
    }
    let (outcome, tries, remarks) = state.withLock { ($0.outcome, $0.tries, $0.remarks) }
    let warnings = status == .warning ? [failure].compactMap { $0?.why } : []
    let result = StepResult(
      reported, status: status, outcome: outcome, failure: failure,
      notes: StepTry.notes(on: tries, of: step.retry.attempts) + remarks + warnings, tries: tries,
      took: loop.now - start
    )
    chain.emit(.stepFinished(result))
    if let thrown { throw thrown }
    if !placed.isImplied, step.innerSteps.isEmpty, status != .failed { chain.countDone() }
  }

  /// Runs the step as often as its rule allows, while it fails transiently.
  private func runTries() async throws {
    let policy = step.retry.policy()
    var began: Instant? = loop.now
    func note(_ why: String?) {
      guard let start = began else { return }
      let end = loop.now
      state.withLock { state in
        guard why != nil || !state.tries.isEmpty else { return }
        state.tries.append(StepTry(began: start - chain.begun, took: end - start, why: why))
        began = nil
      }
    }
    defer {
      state.withLock { $0.current = nil }
      note(nil)
    }
    for number in 1..<policy.attempts {
      state.withLock { $0.current = RunWait.Try(number, of: policy.attempts) }
      do {
        return try await runOnce()
      } catch {
        let failure = RunFailure(error, step: placed)
        guard failure.isWorthAnotherTry, !Task.isCancelled, expectedFailure(error) == nil
        else { throw error }
        note(failure.why)
      }
      outcome = nil
      let wait = policy.wait(before: number + 1)
      state.withLock { $0.current = RunWait.Try(number + 1, of: policy.attempts) }
      awaits("waiting before the next try", limit: wait)
      try await loop.sleep(for: wait)
      began = loop.now
    }
    try await runOnce()
  }

  private func runOnce() async throws {
    try await step.kind.run(self)
    if case .failure(let expected) = step.expected {
      throw ExpectationFailure(expected: "\(expected)", got: "success", octets: nil)
    }
  }

  /// A failure that is as expected; nil for any other, and when the run was cancelled.
  private func expectedFailure(_ error: any Error) -> RunFailure? {
    guard case .failure(let expected) = step.expected, !Task.isCancelled else { return nil }
    let failure = RunFailure(error, step: placed)
    let att = (error as? DeviceFailure)?.att
    guard failure.code != .expectationNotMet, expected.includes(failure, att: att) else {
      return nil
    }
    return failure
  }

  // MARK: Limits

  /// The result of an operation, within the limit of the step.
  func limited<Value: Sendable>(
    _ operation: Signal<Value>,
    late: (Duration) -> Lateness = { Lateness("no answer came within \($0.written)") }
  ) async throws -> Value {
    var result: Value?
    try await limited(operation, late: late) { result = $0 }
    guard let result else { throw NoValue(operation: step.doing) }
    return result
  }

  /// Runs `signal` within the limit of the step, and names the step when it times out.
  ///
  /// - Parameter late: The reason after a timeout.
  func limited<Value: Sendable>(
    _ signal: Signal<Value>, late: (Duration) -> Lateness, _ sink: (Value) async throws -> Void
  ) async throws {
    let limit = limit
    awaits(limit: limit)
    do {
      try await signal.timeout(limit, step.doing).run(sink)
    } catch {
      guard !Task.isCancelled else { throw error }
      throw named(error, late(limit))
    }
  }

  /// How long it may take: of several tries, each.
  var limit: Duration {
    if let own = step.timeout { return own }
    if placed.position == .impliedDisconnect { return service.scheduler.cleanUpLimit }
    return step.kind.limit(plan.timeout)
  }

  /// A timeout as a failure of the step; any other error unchanged.
  private func named(_ error: any Error, _ late: Lateness) -> any Error {
    if let failed = error as? FailedWithCleanUp, let cause = failed.cause {
      return FailedWithCleanUp(cause: named(cause, late), cleanUp: failed.cleanUp)
    }
    guard let timedOut = error as? TimedOut else { return error }
    return DeviceFailure(
      code: .timedOut, class: .passing,
      operation: step.doing + (placed.isImplied ? "" : " (step \(placed.position))"),
      device: service.deviceDescription, attribute: step.attribute, timedOut: timedOut,
      meaning: late.why, hint: Hint(late.hint)
    )
  }
}

/// Why a step was not done in time, and what to try.
struct Lateness {
  let why: String
  let hint: String

  /// The device may be out of range.
  init(_ why: String) {
    self.why = why
    hint = "bring the device closer and try again, or give the step a longer timeout"
  }

  private init(why: String, hint: String) { (self.why, self.hint) = (why, hint) }

  /// The end of a reason: the last value that came in vain, shortened.
  static func last(_ value: StepValue) -> String {
    "; the last was " + ColumnText(TextReport.text(value)).cut(to: 80)
  }

  /// The connection is up, and the device did not send what the step waits for.
  static func silent(_ why: String) -> Lateness {
    Lateness(
      why: why, hint: "check what makes the device send it, or give the step a longer timeout"
    )
  }

  /// The connection was lost and resumed meanwhile.
  static func unstable(_ why: String) -> Lateness {
    Lateness(
      why: why,
      hint: "bring the device closer, and check whether it or another program ends the link"
    )
  }
}
