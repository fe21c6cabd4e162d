// One run of a chain: its attempts, its steps in order, its cleanup, its events.
//
// A single step is run by StepRun; captured values are in ChainRun+Captured.swift.

import Bluetooth
import Documents
import RunEvents
import Signals

/// A run in progress, and its state.
final class ChainRun: Sendable {
  /// The value and measures captured under one name.
  struct Capture {
    var value: DecodedValue?
    /// The bytes, if a device sent the value.
    var octets: [UInt8]?
    var measures: DecodedValue?
    /// The values of a stream that a later step uses as a whole; nil for others.
    var kept: KeptValues?
  }

  /// The progress of one attempt.
  struct Attempt {
    /// The number of the attempt, from 1; 0 before the first.
    var number = 0
    var captures: [String: Capture] = [:]
    /// The counters of steps in a `repeat`, by written position.
    var counters: [StepPosition: [Int: CounterProgress]] = [:]
    var done = 0
    /// The number of steps in this attempt that ended with a warning.
    var warnings = 0
    /// The step with the failure that ends the attempt.
    var failedAt: PlacedStep?
    /// The first failure with `on-failure: continue`, and its step.
    var continuedAfter: (step: PlacedStep, failure: RunFailure)?
  }

  struct State {
    var attempt = Attempt()
    /// Whether this run may have made a connection, so that it must disconnect.
    var isLinked = false
    /// Whether an existing connection may come from an earlier step of this run.
    var hasConnected = false
    /// The repeated steps that use no captured values, as events describe them, by written position.
    var repeated: [StepPosition: ReportedStep] = [:]
  }

  let runner: ChainRunner
  let loop: Loop
  let begun: Instant
  /// The names of the streams whose values are kept.
  let keptStreams: Set<String>
  let state = Guarded(State())

  init(_ runner: ChainRunner) {
    self.runner = runner
    loop = runner.service.scheduler.loop
    begun = loop.now
    keptStreams = runner.plan.keptStreams
  }

  /// Reports an event.
  ///
  /// - Parameter instant: The time of the event; nil for now.
  func emit(_ change: RunEvent.Change, at instant: Instant? = nil) {
    let instant = instant ?? loop.now
    runner.report(
      RunEvent(
        run: runner.identity, device: runner.device, deviceName: runner.deviceName,
        attempt: state.withLock { max(1, $0.attempt.number) }, offset: instant - begun,
        wallClock: loop.wallClockAtStart + instant.sinceStart, change: change
      )
    )
  }

  // MARK: Running

  /// Runs the chain.
  ///
  /// - Returns: The ending, and the error that caused it; nil after a success.
  func run() async -> (ending: RunEnding, error: (any Error)?) {
    let plan = runner.plan
    let start = RunStart(
      chain: plan.name, steps: plan.writtenStepCount, seed: runner.identity.seed,
      file: runner.file
    )
    emit(.run(.started(start)))
    do {
      try refuseCommands()
      try await attempts().run { _ in }
      return (finish(nil), nil)
    } catch {
      return (finish(error), error)
    }
  }

  /// The attempts of the chain as a signal, which sends no values.
  private func attempts() -> Signal<Void> {
    let rule = runner.plan.retry
    let policy = rule.policy { [self] error in
      guard RunFailure(error).isWorthAnotherTry else { return false }
      let next = state.withLock { $0.attempt.number } + 1
      if next <= rule.attempts {
        awaits("waiting before attempt \(next)", limit: rule.policy().wait(before: next))
      }
      return true
    }
    return answering(oneAttempt()).retry(policy)
  }

  /// One attempt: connects, runs the steps, and always disconnects.
  private func oneAttempt() -> Signal<Void> {
    // Longer than the limit of the disconnect itself, so that its error, which names the operation,
    // comes first.
    let limit = runner.service.scheduler.cleanUpLimit + .seconds(1)
    return Signal<Void>.using(
      acquire: .just(self), release: { $0.release() }, releaseLimit: limit
    ) { run in
      Signal { _ in
        run.begin()
        for placed in run.runner.plan.placedSteps {
          // Steps that never suspend would otherwise run on after a cancellation.
          try Task.checkCancellation()
          try await run.perform(placed)
        }
        try run.failAtEnd()
      }
    }
  }

  private func begin() {
    let isKept = runner.plan.link.isKept
    state.withLock { state in
      state.attempt = Attempt(number: state.attempt.number + 1)
      state.hasConnected = state.hasConnected && isKept
    }
  }

  /// Disconnects, unless no connection of this run is left.
  private func release() -> Signal<Void> {
    Signal { [self] sink in
      if state.withLock({ $0.isLinked }) {
        let placed = PlacedStep(.impliedDisconnect, Step(.disconnect))
        try await perform(placed, isCleanUp: true)
      }
      try await sink(())
    }
  }

  private func finish(_ error: (any Error)?) -> RunEnding {
    // A signal that arrives after the last step still decides the ending, because it decides the
    // exit status of the process.
    let error = error ?? Turn.current?.cancellationCause as? Interrupted
    let isCancelled = Task.isCancelled
    let cause = error.map { isCancelled ? Self.cancellation($0) : $0 }
    let attempt = state.withLock { $0.attempt }
    let ending = RunEnding(
      status: error == nil ? .ok : isCancelled ? .cancelled : .failed,
      failure: cause.map { failure($0, attempt.failedAt) },
      step: attempt.failedAt?.reported, done: attempt.done, warnings: attempt.warnings,
      captured: attempt.captures.compactMapValues(\.value)
    )
    emit(.run(.finished(ending)))
    return ending
  }

  // MARK: Steps

  /// Runs one step, and reports its start and its end.
  func perform(_ placed: PlacedStep, isCleanUp: Bool = false) async throws {
    try await StepRun(self, placed).perform(isCleanUp: isCleanUp)
  }

  /// Runs inner steps in order.
  func performAll(
    _ steps: [Step], inside position: StepPosition, isCleanUp: Bool = false
  ) async throws {
    for placed in StepPosition.place(steps, inside: position) {
      try Task.checkCancellation()
      try await perform(placed, isCleanUp: isCleanUp)
    }
  }

  func linked(_ isLinked: Bool) { state.withLock { $0.isLinked = isLinked } }

  /// Whether no step of this run has connected, or the connection has ended since.
  var expectsNewLink: Bool { state.withLock { !$0.hasConnected } }

  /// Records that a step has connected, over a connection that the plan accepts.
  func connected() { state.withLock { $0.hasConnected = true } }

  func disconnected() {
    state.withLock { ($0.isLinked, $0.hasConnected) = (false, false) }
  }

  /// Counts the warning of a step that did not fail.
  func countWarning() { state.withLock { $0.attempt.warnings += 1 } }

  func countDone() { state.withLock { $0.attempt.done += 1 } }

  // MARK: Failures

  /// Decides the effect of a failed step.
  ///
  /// - Returns: The status of the step; its failure, nil if another step inside it already reported
  ///   one; and the error that ends the run, nil if the run continues.
  func failed(
    _ placed: PlacedStep, _ error: any Error, isCleanUp: Bool
  ) -> (StepResult.Status, RunFailure?, (any Error)?) {
    let isCancelled = Task.isCancelled
    let cause = isCancelled ? Self.cancellation(error) : unexpected(error, in: placed)
    let failure = failure(cause, placed)
    let rule = isCancelled ? Step.AfterFailure.stop : placed.step.onFailure
    if rule == .warn, failure.class != .unavailable {
      state.withLock { $0.attempt.warnings += 1 }
      return (.warning, failure, nil)
    }
    let goesOn = rule == .continue
    let isFirst = state.withLock { state in
      let isFirst = isCleanUp || state.attempt.failedAt == nil
      if !isCleanUp, isFirst { state.attempt.failedAt = placed }
      if goesOn {
        let step = state.attempt.failedAt ?? placed
        state.attempt.continuedAfter = state.attempt.continuedAfter ?? (step, failure)
        state.attempt.failedAt = nil
      }
      return isFirst
    }
    let status = isCancelled ? StepResult.Status.cancelled : .failed
    return (status, isFirst ? failure : nil, goesOn ? nil : isCancelled ? error : cause)
  }

  /// Converts an error to a failure, with a hint that fits the chain.
  private func failure(_ error: any Error, _ placed: PlacedStep?) -> RunFailure {
    var failure = RunFailure(error, step: placed)
    guard let cause = (error as? FailedWithCleanUp)?.cause ?? error as? DeviceFailure,
      let device = cause as? DeviceFailure
    else { return failure }
    var rule = runner.plan.pairing
    if case .pair(let pair)? = placed?.step.action { rule = pair.rule }
    // With a passkey or a comparison the device's own reason fits, such as a wrong passkey.
    if device.advice.isToPair || device.code == .pairingFailed, let rule, !rule.acceptsJustWorks,
      !rule.hasAnswers
    {
      failure.hint =
        "the chain has 'just-works: false', which refuses every pairing without a passkey or a "
        + "comparison: leave that key out, or give a passkey if the device has one"
    }
    if device.code == .timedOut, placed?.step.action == .connect {
      failure.hint +=
        "; a device that only advertises, such as a beacon, accepts no connection: its data is in "
        + "blerun scan"
    }
    return failure
  }

  /// Throws the first failure that the run continued after; called once all steps have run.
  func failAtEnd() throws(RunFailure) {
    guard let continuedAfter = state.withLock({ $0.attempt.continuedAfter }) else { return }
    state.withLock { $0.attempt.failedAt = continuedAfter.step }
    throw continuedAfter.failure
  }

  /// Adds the expected failure to the message of a different one.
  private func unexpected(_ error: any Error, in placed: PlacedStep) -> any Error {
    guard case .failure(let expected) = placed.step.expected,
      let failure = error as? DeviceFailure
    else { return error }
    return failure.with(meaning: "\(failure.meaning), where the chain expects \(expected)")
  }

  /// The cause of the cancellation, as recorded by the turn; `error` if there is none.
  static func cancellation(_ error: any Error) -> any Error {
    let cause = Turn.current?.cancellationCause ?? error
    guard let timedOut = cause as? TimedOut else { return cause }
    return TimedOut(operation: "the run", after: timedOut.after)
  }

  // MARK: Pairing

  /// Runs `chain` with a registered pairing agent, if the plan has answers.
  ///
  /// The agent is registered before connecting, because pairing that a protected attribute starts
  /// uses the capability registered at that time.
  func answering<Value: Sendable>(_ chain: Signal<Value>) -> Signal<Value> {
    guard let rule = runner.plan.pairing else { return chain }
    return Signal { [self] sink in
      let answers = try answers(rule, nil)
      try await runner.service.answering(answers) { chain }.run(sink)
    }
  }

  /// Runs `connecting` with an agent that offers what the first `pair` step offers, and answers nothing.
  ///
  /// bluetoothd from 5.81 on pairs with the capability that was registered when the connection was
  /// made: without one, no passkey is asked for, and the bond is not authenticated. The agent of the
  /// plan's own answers is registered already.
  ///
  /// - Source: BlueZ 5.81, `src/device.c` (pair_device raises the security of the channel).
  func offering<Value: Sendable>(_ connecting: Signal<Value>) -> Signal<Value> {
    let rules = runner.plan.allSteps.compactMap { step in
      if case .pair(let pair) = step.action { pair.rule } else { nil }
    }
    // Answers that cannot be read fail the step that needs them.
    guard runner.plan.pairing == nil, let rule = rules.first,
      let capability = try? answers(rule, nil).offeredCapability
    else { return connecting }
    return Signal { [self] sink in
      let silent = PairingAnswers(capability: capability, acceptsJustWorks: false)
      try await runner.service.answering(silent) { connecting }.run(sink)
    }
  }

  /// Creates the answers of a rule, with its secret loaded.
  ///
  /// - Parameter placed: The step that pairs; nil for pairing that the device starts.
  func answers(_ rule: PairingRule, _ placed: PlacedStep?) throws -> PairingAnswers {
    do {
      return try rule.answers(ask: runner.ask) { [self] display in
        emit(.remark(.pairingDisplay(placed?.reported, display)))
      }
    } catch {
      throw RunFailure(
        code: .secretMissing, class: .definite, what: "pairing", why: "\(error)",
        hint: "set the variable, or name the file that the passkey is in"
      )
    }
  }
}

extension RetryRule {
  /// The retry policy for signals. The pause never exceeds 30 s, unless the first one does.
  ///
  /// - Parameter retries: Whether an error is worth another attempt.
  func policy(retries: @escaping @Sendable (any Error) -> Bool = { _ in true }) -> RetryPolicy {
    RetryPolicy(
      attempts: max(1, attempts), backoff: backoff, backoffLimit: max(.seconds(30), backoff),
      retries: retries
    )
  }
}
