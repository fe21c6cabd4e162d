// One run of a chain: its tries, its steps in order, its clean-up, its events.
//
// The kinds of steps are in ChainRun+Steps.swift.

import Bluetooth
import Documents
import Signals

/// One run and its state.
final class ChainRun: Sendable {
  struct State {
    var attempt = 0
    var captures: [String: DecodedValue] = [:]
    /// The bytes of captured values that a device sent.
    var captured: [String: [UInt8]] = [:]
    /// The measures over the values that were captured under a name.
    var measures: [String: DecodedValue] = [:]
    /// Whether this run may have made a connection.
    var isLinked = false
    /// The counters of steps in a `repeat`, by their written positions.
    var counters: [StepPosition: CounterProgress] = [:]
    var done = 0
    /// The try of the step under way, where it may have several.
    var stepTry: RunWait.Try?
    /// Remarks on the step under way.
    var remarks: [String] = []
    /// The step of the first cause.
    var failedAt: PlacedStep?
    /// The first failure after which the run went on, and its step.
    var continuedAfter: (step: PlacedStep, failure: RunFailure)?
    var consumerHasLeft = false
    var ending: RunEnding?
  }

  let runner: ChainRunner
  let loop: Loop
  /// When it began.
  let begun: Instant
  let state = Guarded(State())

  init(_ runner: ChainRunner) {
    self.runner = runner
    loop = runner.service.scheduler.loop
    begun = loop.now
  }

  /// How the run ended; nil before.
  var ending: RunEnding? { state.withLock { $0.ending } }

  /// Reports an event.
  ///
  /// - Parameter instant: When it happened; nil for now.
  func emit(_ change: RunEvent.Change, at instant: Instant? = nil) {
    let instant = instant ?? loop.now
    runner.report(
      RunEvent(
        run: runner.identity,
        device: runner.device,
        deviceName: runner.deviceName,
        attempt: state.withLock { max(1, $0.attempt) },
        offset: instant - begun,
        wallClock: loop.wallClockAtStart + instant.sinceStart,
        change: change
      )
    )
  }

  // MARK: Running

  func run(_ sink: (StepResult) async throws -> Void) async throws -> RunEnding {
    let plan = runner.plan
    emit(
      .runStarted(
        RunStart(
          chain: plan.name,
          steps: plan.writtenStepCount,
          seed: runner.identity.seed,
          file: runner.file
        )
      )
    )
    do {
      try refuseCommands()
      try await attempts().run { [self] result in
        do {
          try await sink(result)
        } catch {
          state.withLock { $0.consumerHasLeft = true }
          throw error
        }
      }
    } catch {
      finish(error)
      throw error
    }
    return finish(nil)
  }

  /// The chain with the tries of the plan.
  private func attempts() -> Signal<StepResult> {
    let rule = runner.plan.retry
    let policy = rule.policy { [self] error in
      guard RunFailure(error).isWorthAnotherTry else { return false }
      let next = state.withLock { $0.attempt } + 1
      if next <= rule.attempts {
        awaits(nil, "waiting before attempt \(next)", limit: rule.policy().wait(before: next))
      }
      return true
    }
    return answering(attempt()).retry(policy)
  }

  /// One try: connecting, the steps, and disconnecting at every ending.
  private func attempt() -> Signal<StepResult> {
    // The limit of the clean-up is shorter, so that its error names the operation that took too
    // long.
    let limit = runner.service.scheduler.cleanUpLimit + .seconds(1)
    return Signal<StepResult>.using(
      acquire: .just(self),
      release: { $0.release() },
      releaseLimit: limit
    ) { run in
      Signal { sink in
        run.begin()
        for placed in run.runner.plan.placedSteps {
          // Steps that never wait must not run past a cancellation.
          try Task.checkCancellation()
          try await run.perform(placed, sink)
        }
        try run.failAtEnd()
      }
    }
  }

  private func begin() {
    state.withLock { state in
      state.attempt += 1
      state.captures = [:]
      state.measures = [:]
      state.counters = [:]
      state.done = 0
      state.failedAt = nil
      state.continuedAfter = nil
    }
  }

  /// Disconnects, unless the last step of the chain did.
  private func release() -> Signal<Void> {
    Signal { [self] sink in
      if state.withLock({ $0.isLinked }) {
        let placed = PlacedStep(.impliedDisconnect, Step(.disconnect))
        try await perform(placed, isCleanUp: true) { _ in }
      }
      try await sink(())
    }
  }

  @discardableResult
  private func finish(_ error: (any Error)?) -> RunEnding {
    // A signal that comes when all steps are done has ended the run, too: its status is that of the
    // process.
    let error = error ?? Turn.current?.cancellationCause as? Interrupted
    let isCancelled = isLeaving
    let cause = error.map { isCancelled ? Self.cancellation($0) : $0 }
    let ending = state.withLock { state in
      let failure = cause.map { error -> RunFailure in
        if isCancelled, state.consumerHasLeft { return RunFailure(CancellationError()) }
        return RunFailure(error, step: state.failedAt)
      }
      let status: RunEnding.Status = error == nil ? .ok : isCancelled ? .cancelled : .failed
      let ending = RunEnding(
        status: status,
        failure: failure,
        step: state.failedAt?.reported,
        done: state.done,
        captured: state.captures
      )
      state.ending = ending
      return ending
    }
    emit(.runFinished(ending))
    return ending
  }

  // MARK: A step

  /// Runs one step, and reports its start and its end.
  func perform(
    _ written: PlacedStep,
    isCleanUp: Bool = false,
    _ sink: (StepResult) async throws -> Void
  ) async throws {
    let (placed, unfilled) = filled(written)
    var step = placed.reported
    if step.beginsAttempt { step.attempts = runner.plan.retry.attempts }
    emit(.stepStarted(step))
    let start = loop.now
    var (outcome, tries) = (StepOutcome?.none, [StepTry]())
    var (status, failure) = (StepResult.Status.ok, RunFailure?.none)
    var thrown: (any Error)?
    do {
      if let unfilled { throw unfilled }
      status = try await attempt(placed, &outcome, &tries, sink)
    } catch {
      failure = unfilled == nil ? expectedFailure(error, of: placed) : nil
      if failure == nil {
        (status, failure, thrown) = failed(placed, error, isCleanUp: isCleanUp)
      }
    }
    let remarks = state.withLock { state in
      defer { state.remarks = [] }
      return state.remarks
    }
    let result = StepResult(
      step,
      status: status,
      outcome: outcome,
      failure: failure,
      notes: StepTry.notes(on: tries, of: placed.step.retry.attempts) + remarks,
      tries: tries,
      took: loop.now - start
    )
    emit(.stepFinished(result))
    if let thrown { throw thrown }
    if !placed.isImplied, placed.step.innerSteps.isEmpty, status != .failed {
      state.withLock { $0.done += 1 }
    }
    try await sink(result)
  }

  /// Why the run was cancelled, if its turn knows.
  static func cancellation(_ error: any Error) -> any Error {
    let cause = Turn.current?.cancellationCause ?? error
    guard let timedOut = cause as? TimedOut else { return cause }
    return TimedOut(operation: "the run", after: timedOut.after)
  }

  /// The step with its captured values replaced; unchanged when one is missing.
  private func filled(_ placed: PlacedStep) -> (PlacedStep, RunFailure?) {
    do {
      return (PlacedStep(placed.position, try Filling(value: value).filled(placed.step)), nil)
    } catch {
      let failure = RunFailure(
        code: .invalidValue,
        class: .definite,
        what: placed.step.doing,
        why: error.message,
        hint: "check the result of the earlier step with 'as'"
      )
      return (placed, failure)
    }
  }

  // MARK: What steps change

  func linked(_ isLinked: Bool) { state.withLock { $0.isLinked = isLinked } }

  /// - Parameter octets: What the device sent; nil for what is no value of it.
  func capture(_ value: DecodedValue, octets: [UInt8]? = nil, as name: String?) {
    guard let name else { return }
    state.withLock { state in
      state.captures[name] = value
      state.captured[name] = octets
    }
  }

  /// The captured value, the field of one, or the bytes, that `path` names.
  func value(_ path: VariablePath) -> DecodedValue? {
    state.withLock { state in
      let value = state.captures[path.variable]
      if let slice = path.slice {
        let octets =
          path.field.map { value?.field(at: $0)?.value.bytes } ?? state.captured[path.variable]
        return octets.flatMap { slice.bytes(of: $0) }.map { .octets($0) }
      }
      guard let field = path.field else { return value }
      return value?.field(at: field)?.value ?? state.measures[path.variable]?[field]
    }
  }

  /// The expectations of a step, with its counters from the previous repetition.
  func progress(of placed: PlacedStep) -> ExpectationProgress {
    let counters: CounterProgress? =
      placed.position.isTurn
      ? state.withLock { $0.counters[placed.position.written] } : nil
    return ExpectationProgress(placed.step.expectations, counters: counters)
  }

  /// Stores the counters of a step, for its next repetition.
  func keep(_ progress: ExpectationProgress, of placed: PlacedStep) {
    guard placed.position.isTurn,
      placed.step.expectations.contains(where: { $0.check.counter != nil })
    else { return }
    state.withLock { $0.counters[placed.position.written] = progress.counters }
  }

  /// Checks the single value of a step.
  func check(
    _ value: DecodedValue,
    _ octets: [UInt8],
    of placed: PlacedStep
  ) throws(ExpectationFailure) {
    guard !placed.step.expectations.isEmpty else { return }
    var progress = progress(of: placed)
    try progress.check(value, octets: octets)
    keep(progress, of: placed)
  }

  /// Stores the measures over the values of a step.
  func keep(_ measures: StreamMeasures, as name: String?) {
    guard let name else { return }
    let fields = DecodedValue.fields(measures.fields(at: loop.now))
    state.withLock { $0.measures[name] = fields }
  }
}
