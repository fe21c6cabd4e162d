// Runs each kind of step.

import Bluetooth
import Signals

extension ChainRun {
  private var service: any DeviceService { runner.service }

  /// Runs a step.
  ///
  /// - Parameter outcome: The outcome, set as soon as it is known, so that a step that fails later
  ///   has one, too.
  func act(
    _ placed: PlacedStep,
    _ outcome: inout StepOutcome?,
    _ sink: (StepResult) async throws -> Void
  ) async throws -> StepResult.Status {
    switch placed.step.action {
    case .connect: try await connect(placed, &outcome)
    case .disconnect: try await disconnect(placed, &outcome)
    case .read(let target, let offset, let format):
      try await read(target, offset, format, placed, &outcome)
    case .write(let write):
      try await limited(service.write(write), placed) { _ in }
      outcome = .written(write.value.octets)
    case .notify(let listening): try await listen(listening, placed, &outcome)
    case .exchange(let exchanging): try await exchange(exchanging, placed, &outcome)
    case .poll(let polling): try await poll(polling, placed, &outcome)
    case .combine(let combining): try await combine(combining, placed, &outcome)
    case .rssi: try await measure(service.rssi(), placed, &outcome)
    case .pair(let rule): try await pair(rule, placed, &outcome)
    case .unpair: try await unpair(placed)
    case .trust(let isTrusted):
      try await limited(service.trust(isTrusted), placed) { _ in }
    case .mtu: try await askForMTU(placed, &outcome)
    case .connectionParameters:
      try await measure(service.connectionParameters(), placed, &outcome)
    case .services: try await listServices(placed, &outcome)
    case .readDescriptor(let target, let format):
      try await readDescriptor(target, format, placed, &outcome)
    case .writeDescriptor(let target, let value):
      try await limited(service.writeDescriptor(value.octets, to: target), placed) { _ in }
      outcome = .written(value.octets)
    case .scan(let scanning): try await scan(scanning, placed, &outcome)
    case .sleep(let duration):
      awaits(placed, limit: duration)
      try await loop.sleep(for: duration)
    case .log(let template): outcome = .logged(template.filled(value))
    case .command(let command): try await run(command, placed, &outcome)
    case .repeated(let count, let index, let steps):
      for turn in 1...max(1, count) {
        capture(.integer(Int128(turn)), as: index)
        try await performAll(steps, inside: placed.position.repetition(turn), sink)
        // Steps that never wait must yield to others on the loop, especially to signals.
        await Task.yield()
      }
    case .when(let condition, let steps, let otherwise):
      if condition.firstUnmet(value) == nil {
        try await performAll(steps, inside: placed.position, sink)
      } else if !otherwise.isEmpty {
        try await performAll(otherwise, inside: placed.position.otherwise, sink)
      } else {
        return .skipped
      }
    case .assert(let condition): try assert(condition)
    case .tried(let steps, let last):
      try await attempt(steps, finally: last, placed, sink)
    }
    return .ok
  }

  func performAll(
    _ steps: [Step],
    inside position: StepPosition,
    isCleanUp: Bool = false,
    _ sink: (StepResult) async throws -> Void
  ) async throws {
    for placed in StepPosition.place(steps, inside: position) {
      try Task.checkCancellation()
      try await perform(placed, isCleanUp: isCleanUp, sink)
    }
  }

  // MARK: The link

  private func connect(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    // Set before anything can fail: a connection that the run made is always disconnected.
    let isKept = runner.plan.link.isKept
    let connecting = service.connect(keep: isKept, expecting: runner.plan.expectedServices)
      .map { [self] origin in
        if origin != .found, !isKept { linked(true) }
        return origin
      }
    var origin = LinkOrigin.made
    while true {
      do {
        try await limited(connecting, placed) { origin = $0 }
        break
      } catch let failure as DeviceFailure where failure.code == .busy {
        // The limit of the step is for connecting, not for other runs.
        awaits(placed, limit: nil)
        var hasWaited = false
        try await service.awaitOtherRuns().run { hasWaited = $0 }
        guard hasWaited else { throw failure }
      }
    }
    outcome = .linked(origin, candidates: service.candidates)
  }

  private func disconnect(_ placed: PlacedStep, _ outcome: inout StepOutcome?) async throws {
    // A step that was written disconnects whoever uses the connection.
    let ending = placed.isImplied ? service.leave() : service.disconnect().map { false }
    let disconnecting = ending.map { [self] isLeft in
      linked(false)
      return isLeft
    }
    try await limited(disconnecting, placed) { outcome = $0 ? .left : nil }
  }

  private func assert(_ condition: Condition) throws(ExpectationFailure) {
    guard let test = condition.firstUnmet(value) else { return }
    let found = value(test.path).map { "\($0)" } ?? "no captured value"
    throw ExpectationFailure(expected: "\(test)", got: found, octets: [])
  }

  // MARK: Limits

  /// Runs `signal` within the limit of its step, and names the step when it times out.
  ///
  /// - Parameter late: The reason after a timeout; by default "no answer came within 5s".
  func limited<Value: Sendable>(
    _ signal: Signal<Value>,
    _ placed: PlacedStep,
    late: (Duration) -> Lateness = { Lateness("no answer came within \($0.written)") },
    _ sink: (Value) async throws -> Void
  ) async throws {
    let limit = limit(of: placed)
    awaits(placed, limit: limit)
    do {
      try await signal.timeout(limit, placed.step.doing).run(sink)
    } catch {
      guard !Task.isCancelled else { throw error }
      throw named(error, placed, late(limit))
    }
  }

  func limit(of placed: PlacedStep) -> Duration {
    if let own = placed.step.timeout { return own }
    if placed.isImplied, placed.step.action == .disconnect {
      return service.scheduler.cleanUpLimit
    }
    return placed.step.kind.limit(runner.plan.timeout)
  }

  /// A timeout as a failure of the step; any other error unchanged.
  private func named(_ error: any Error, _ placed: PlacedStep, _ late: Lateness) -> any Error {
    if let failed = error as? FailedWithCleanUp, let cause = failed.cause {
      return FailedWithCleanUp(cause: named(cause, placed, late), cleanUp: failed.cleanUp)
    }
    guard let timedOut = error as? TimedOut else { return error }
    return DeviceFailure(
      code: .timedOut,
      class: .passing,
      operation: placed.step.doing + (placed.isImplied ? "" : " (step \(placed.position))"),
      device: service.deviceDescription,
      attribute: placed.step.attribute,
      timedOut: timedOut,
      meaning: late.why,
      hint: Hint(late.hint)
    )
  }
}
