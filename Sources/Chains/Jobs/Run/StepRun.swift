// One step of a run: its attempts, its timeout, its outcome, and its start and end as events.
//
// The behaviour of each kind of step is in Kinds.

import Bluetooth
import Documents
import Reports
import RunEvents
import Signals

final class StepRun: Sendable {
  private struct State {
    var outcome: StepOutcome?
    var isSkipped = false
    var tries: [StepTry] = []
    /// The current attempt, if there may be several.
    var current: RunWait.Try?
    var remarks: [String] = []
    /// The remark on how the current attempt has left the device.
    var lastRemark: String?
    var hasWarned = false
    /// The tolerated failure that caused the warning; nil if it was not a failure.
    var warning: RunFailure?
  }

  let chain: ChainRun
  /// The step, with its captured values substituted.
  let placed: PlacedStep
  /// The step as events describe it.
  let reported: ReportedStep
  private let fillFailure: RunFailure?
  private let state = Guarded(State())

  init(_ chain: ChainRun, _ written: PlacedStep) {
    self.chain = chain
    (placed, reported, fillFailure) = chain.prepared(written)
  }

  var step: Step { placed.step }
  var plan: Plan { chain.runner.plan }
  var service: any Device { chain.runner.service }
  var loop: Loop { chain.loop }

  /// The outcome; for a failed step, as far as it is known.
  var outcome: StepOutcome? {
    get { state.withLock { $0.outcome } }
    set { state.withLock { $0.outcome = newValue } }
  }

  /// Whether the step had nothing to do.
  var isSkipped: Bool {
    get { state.withLock { $0.isSkipped } }
    set { state.withLock { $0.isSkipped = newValue } }
  }

  /// The current attempt, if there may be several.
  var stepTry: RunWait.Try? { state.withLock { $0.current } }

  func remark(_ text: String) { state.withLock { $0.remarks.append(text) } }

  /// Adds a remark on how an attempt has left the device, unless another attempt follows.
  func remarkIfLast(_ text: String) { state.withLock { $0.lastRemark = text } }

  /// Ends the step with a warning, unless it fails.
  func warn(_ failure: DeviceFailure) {
    state.withLock { state in
      state.hasWarned = true
      state.warning = RunFailure(failure, step: placed)
    }
  }

  /// Adds a remark and ends the step with a warning, unless it fails.
  func warn(_ text: String) {
    state.withLock { state in
      state.hasWarned = true
      state.remarks.append(text)
    }
  }

  // MARK: Running

  /// Runs the step, and reports its start and its end.
  func perform(isCleanUp: Bool) async throws {
    var reported = reported
    if reported.beginsAttempt { reported.attempts = plan.retry.attempts }
    chain.emit(.step(.started(reported)))
    let start = loop.now
    var (status, failure) = (StepResult.Status.ok, RunFailure?.none)
    var thrown: (any Error)?
    do {
      if let fillFailure { throw fillFailure }
      try await runTries()
      if isSkipped { status = .skipped }
      let (hasWarned, warning) = state.withLock { ($0.hasWarned, $0.warning) }
      if hasWarned {
        (status, failure) = (.warning, warning)
        chain.countWarning()
      }
    } catch {
      failure = fillFailure == nil ? expectedFailure(error) : nil
      if failure == nil {
        (status, failure, thrown) = chain.failed(placed, error, isCleanUp: isCleanUp)
      }
    }
    let (outcome, tries, remarks) = state.withLock { state in
      (state.outcome, state.tries, state.remarks + [state.lastRemark].compactMap(\.self))
    }
    let warnings = status == .warning ? [failure].compactMap { $0?.why } : []
    let result = StepResult(
      reported, status: status, outcome: outcome, failure: failure,
      notes: StepTry.notes(on: tries, of: step.retry.attempts) + remarks + warnings, tries: tries,
      took: loop.now - start
    )
    chain.emit(.step(.finished(result)))
    if let thrown { throw thrown }
    if !placed.isImplied, step.innerSteps.isEmpty, status != .failed { chain.countDone() }
  }

  /// Runs the step, and retries it after transient failures as its rule allows.
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
    state.withLock { $0.lastRemark = nil }
    try await step.kind.run(self)
    if case .failure(let expected) = step.expected {
      throw ExpectationFailure(expected: "\(expected)", got: "success", octets: nil)
    }
  }

  /// The failure, if it matches the expected one; nil otherwise, and if the run was cancelled.
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

  /// Runs an operation within the timeout of the step, and returns its result.
  func limited<Value: Sendable>(
    _ operation: Signal<Value>,
    late: (Duration) -> Lateness = { Lateness("no answer came within \($0.written)") }
  ) async throws -> Value {
    var result: Value?
    try await limited(operation, late: late) { result = $0 }
    guard let result else { throw NoValue(operation: step.participle) }
    return result
  }

  /// Runs `signal` within the timeout of the step, and names the step if it times out.
  ///
  /// - Parameter late: Creates the reason for a timeout.
  func limited<Value: Sendable>(
    _ signal: Signal<Value>, late: (Duration) -> Lateness, _ sink: (Value) async throws -> Void
  ) async throws {
    let limit = limit
    awaits(limit: limit)
    do {
      try await signal.timeout(limit, step.participle).run(sink)
    } catch {
      guard !Task.isCancelled else { throw error }
      throw named(error, late(limit))
    }
  }

  /// The timeout of the step, of each attempt if there are several.
  var limit: Duration {
    if let own = step.timeout { return own }
    if placed.position == .impliedDisconnect { return service.scheduler.cleanUpLimit }
    return step.kind.limit(plan.timeout)
  }

  /// Converts a timeout to a failure of the step; other errors are unchanged.
  private func named(_ error: any Error, _ late: Lateness) -> any Error {
    if let failed = error as? FailedWithCleanUp, let cause = failed.cause {
      return FailedWithCleanUp(cause: named(cause, late), cleanUp: failed.cleanUp)
    }
    guard let timedOut = error as? TimedOut else { return error }
    return DeviceFailure(
      code: .timedOut, class: .passing,
      operation: step.participle + (placed.isImplied ? "" : " (step \(placed.position))"),
      device: service.deviceDescription, attribute: step.attribute, timedOut: timedOut,
      meaning: late.why, hint: Hint(late.hint)
    )
  }
}

/// The reason that a step timed out, and a hint.
struct Lateness {
  let why: String
  let hint: String

  /// Creates a reason with the hint that the device may be out of range.
  init(_ why: String) {
    self.why = why
    hint = "bring the device closer and try again, or give the step a longer timeout"
  }

  private init(why: String, hint: String) { (self.why, self.hint) = (why, hint) }

  /// The last value that did not end the step, shortened, as the end of a reason.
  static func last(_ value: StepValue) -> String {
    "; the last was " + ColumnText(TextReport.text(value)).cut(to: 80)
  }

  /// A value that was not complete, shortened, as the end of a reason.
  static func cutOff(_ value: StepValue) -> String {
    let reason = value.problem.map { ": \($0)" } ?? ""
    return "; \(counted(value.octets.count, "byte")) of a value came\(reason)"
  }

  /// A reason for a device that is connected but does not send the awaited value.
  static func silent(_ why: String) -> Lateness {
    Lateness(
      why: why, hint: "check what triggers it on the device, or give the step a longer timeout"
    )
  }

  /// A reason for a connection that dropped and resumed meanwhile.
  static func unstable(_ why: String) -> Lateness {
    Lateness(
      why: why,
      hint: "bring the device closer, and check whether it or another program ends the link"
    )
  }
}
