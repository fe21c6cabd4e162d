// One run of a test: its operations in order, its clean-up, its ending.
//
// The operations are in TestRun+Operations.swift and beside it.

import Bluetooth
import Jobs
import Signals

/// The state of one run of a test.
final class TestRun: Sendable {
  private struct State {
    var links: [(target: String, link: TargetLink)] = []
    var done = 0
    var warnings = 0
    var failedAt: ReportedStep?
    var failure: RunFailure?
  }

  let runner: SuiteRunner
  let test: SuiteTest
  let bindings: Bindings
  private let index: Int
  private let suiteBegun: Instant
  private let begun: Instant
  private let state = Guarded(State())

  init(
    _ runner: SuiteRunner,
    _ test: SuiteTest,
    index: Int,
    _ bindings: Bindings,
    suiteBegun: Instant
  ) {
    self.runner = runner
    self.test = test
    self.index = index
    self.bindings = bindings
    self.suiteBegun = suiteBegun
    begun = runner.scheduler.loop.now
  }

  var loop: Loop { runner.scheduler.loop }

  func emit(_ change: RunEvent.Change) {
    let event = RunEvent(
      run: runner.identity,
      device: runner.device(of: test.target),
      attempt: 1,
      offset: loop.now - begun,
      wallClock: runner.wallClock(at: loop.now),
      change: change
    )
    runner.emit(.test(test, index: index, event), since: suiteBegun)
  }

  // MARK: Running

  /// Runs the test in a turn of its own, and reports its events.
  func run() async -> RunEnding {
    emit(
      .runStarted(
        RunStart(
          chain: runner.suite.title,
          steps: test.operations.count,
          seed: runner.identity.seed,
          test: RunStart.Test(index: index, name: test.name, target: test.target)
        )
      )
    )
    var thrown: (any Error)?
    do {
      try await runner.scheduler.turn { [self] in try await perform() }
    } catch {
      thrown = error
    }
    let ending = ending(thrown)
    emit(.runFinished(ending))
    return ending
  }

  /// Runs the operations up to the first failure, then cleans up.
  ///
  /// - Throws: The cause of a cancellation. The failure of an operation is in ``ending(_:)``
  ///   instead.
  private func perform() async throws {
    do {
      for (number, operation) in test.operations.enumerated() {
        // Operations that never wait must let the loop handle others, above all signals.
        await Task.yield()
        try Task.checkCancellation()
        guard try await perform(operation, number: number + 1) else { break }
      }
      try await loop.sleep(for: runner.settings.afterTest)
    } catch {
      await cleanUp()
      throw error
    }
    await cleanUp()
  }

  /// Runs one operation and reports it; false when the test ends with it.
  private func perform(_ operation: Operation, number: Int) async throws -> Bool {
    let target = operation.target ?? test.target
    let placed = PlacedOperation(
      number: number,
      operation: operation,
      target: operation.kind == .none ? nil : target,
      device: runner.device
    )
    emit(.stepStarted(placed.step))
    let start = loop.now
    let verdict = await verdict(of: placed)
    let result = StepResult(
      placed.step,
      status: verdict.status,
      outcome: verdict.outcome,
      failure: verdict.failure,
      notes: verdict.notes,
      took: loop.now - start
    )
    state.withLock { state in
      switch verdict.status {
      case .ok, .skipped: state.done += 1
      case .warning:
        state.done += 1
        state.warnings += 1
      case .failed, .cancelled:
        state.failedAt = placed.step
        state.failure = verdict.failure
      }
    }
    if case .value(let value)? = result.outcome { emit(.value(placed.step, value)) }
    emit(.stepFinished(result))
    if verdict.status == .cancelled { throw verdict.error ?? CancellationError() }
    let isDone = verdict.status == .ok || verdict.status == .warning
    if isDone, verdict.error == nil, operation.hasPause {
      try await loop.sleep(for: runner.settings.afterConnect)
    }
    return isDone
  }

  /// Unsubscribes and disconnects. The end of the turn retries what fails, and reports it.
  private func cleanUp() async {
    let links = state.withLock { $0.links }
    _ = try? await shielded(on: loop, limit: runner.scheduler.cleanUpLimit) {
      for (_, link) in links {
        if link.isLinked { try? await link.service.leave().run { _ in } }
        await link.unlinked()
      }
    }
  }

  // MARK: The ending

  /// The ending of the test.
  ///
  /// - Parameter thrown: The error of its turn; nil when it succeeded.
  private func ending(_ thrown: (any Error)?) -> RunEnding {
    let state = state.withLock { $0 }
    var status = RunEnding.Status.ok
    var failure = state.failure
    if let thrown {
      let isCleanUp = (thrown as? FailedWithCleanUp).map { $0.cause == nil } ?? false
      status = isCleanUp ? .failed : .cancelled
      failure = failure ?? RunFailure(thrown)
      if !isCleanUp { failure = RunFailure(thrown) }
    } else if failure != nil {
      status = .failed
    } else if state.warnings > 0 {
      status = .warning
    }
    return RunEnding(
      status: status,
      failure: failure,
      step: state.failedAt,
      done: state.done,
      warnings: state.warnings
    )
  }

  // MARK: Targets

  /// The connection to the device of a target.
  ///
  /// - Throws: ``DeviceFailure`` when the target is not bound, or there is no target.
  func link(_ placed: PlacedOperation) throws -> TargetLink {
    guard let target = placed.operation.target ?? test.target else {
      throw unbound(placed, "neither the operation nor its test names a target")
    }
    if let link = existingLink(target) { return link }
    guard let device = bindings[target] else {
      throw unbound(placed, "the target '\(target)' is not bound to a device")
    }
    let link = TargetLink(runner.makeService(device))
    state.withLock { $0.links.append((target, link)) }
    return link
  }

  func existingLink(_ target: String) -> TargetLink? {
    state.withLock { $0.links.first { $0.target == target }?.link }
  }

  /// Binds a target to another device.
  func rebind(_ target: String, to address: BluetoothAddress) {
    state.withLock { $0.links.removeAll { $0.target == target } }
    bindings.bind(target, to: address)
  }

  func unbound(_ placed: PlacedOperation, _ meaning: String) -> DeviceFailure {
    DeviceFailure(
      code: .targetNotBound,
      class: .definite,
      operation: placed.operation.doing,
      meaning: meaning,
      hint: "give the target an address, bind it with scan-for, or name a device with -d"
    )
  }
}

extension Operation {
  /// Whether a pause follows it.
  fileprivate var hasPause: Bool { action == .connect || action == .refresh }

  /// The name and the subject of the operation, for reports and failures.
  var doing: String { subject.map { "\(name) \($0)" } ?? name }
}
