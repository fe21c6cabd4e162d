// One run of a test: its operations in order, its clean-up, its ending.
//
// OperationRun performs each operation.

import Bluetooth
import Jobs
import RunEvents
import Signals

/// The state of one run of a test.
final class TestRun: Sendable {
  private struct State {
    var links: [TargetLink] = []
    var done = 0
    var warnings = 0
    var failedAt: ReportedStep?
    var failure: RunFailure?
  }

  let runner: SuiteRunner
  let test: SuiteTest
  /// The devices of targets. They stay bound from test to test.
  private let bound: Guarded<[String: DeviceTarget]>
  private let begun: Instant
  /// The test as events describe it.
  private let reported: RunEvent.Test
  /// The name of the device in events. It does not change when an operation binds the target: the
  /// events of a run have one device.
  private let device: String
  private let state = Guarded(State())

  init(
    _ runner: SuiteRunner, _ test: SuiteTest, index: Int, of suiteBegun: Instant,
    _ bound: Guarded<[String: DeviceTarget]>
  ) {
    self.runner = runner
    self.test = test
    self.bound = bound
    begun = runner.scheduler.loop.now
    device = runner.device(of: test.target, in: bound.withLock { $0 })
    reported = RunEvent.Test(
      index: index, id: test.id, title: test.title, description: test.run, target: test.target,
      begun: begun - suiteBegun
    )
  }

  var loop: Loop { runner.scheduler.loop }

  func emit(_ change: RunEvent.Change) {
    runner.emit(change, of: reported, on: device, since: begun)
  }

  // MARK: Running

  /// Runs the test in its own turn, and reports its events.
  func run() async -> RunEnding {
    let start = RunStart(
      chain: runner.suite.title, steps: test.operations.count, seed: runner.identity.seed
    )
    emit(.run(.started(start)))
    var thrown: (any Error)?
    do {
      try await runner.scheduler.turn { [self] in try await perform() }
    } catch {
      thrown = error
    }
    let ending = ending(thrown)
    emit(.run(.finished(ending)))
    return ending
  }

  /// Runs the operations up to the first failure, then cleans up.
  ///
  /// - Throws: The cause of a cancellation. The failure of an operation is not thrown; see ``ending(_:)``.
  private func perform() async throws {
    do {
      for (index, operation) in test.operations.enumerated() {
        // A test whose operations never wait would otherwise block the loop, which handles signals.
        await Task.yield()
        try Task.checkCancellation()
        guard try await perform(operation, number: index + 1) else { break }
      }
      try await loop.sleep(for: runner.settings.afterTest)
    } catch {
      await cleanUp()
      throw error
    }
    await cleanUp()
  }

  /// Runs one operation and reports it. Returns false if it ends the test.
  private func perform(_ operation: Operation, number: Int) async throws -> Bool {
    let run = OperationRun(self, operation, number: number)
    emit(.step(.started(run.step)))
    let start = loop.now
    runner.follow?(
      RunWait(
        position: run.step.position, what: run.step.title, begun: start, limit: run.limit
      )
    )
    let verdict = await run.verdict()
    let outcome = run.outcome
    if case .value(let value)? = outcome { emit(.data(run.step, .value(value))) }
    let result = StepResult(
      run.step, status: verdict.status, outcome: outcome, failure: verdict.failure,
      notes: verdict.notes, took: loop.now - start
    )
    emit(.step(.finished(result)))
    let isDone = verdict.status == .ok || verdict.status == .warning
    state.withLock { state in
      if isDone {
        state.done += 1
      } else {
        (state.failedAt, state.failure) = (run.step, verdict.failure)
      }
      if verdict.status == .warning { state.warnings += 1 }
    }
    if verdict.status == .cancelled { throw verdict.error ?? CancellationError() }
    let isFollowedByPause =
      operation.action == .device(.connect) || operation.action == .device(.refresh)
    if isDone, verdict.error == nil, isFollowedByPause {
      try await loop.sleep(for: runner.settings.afterConnect)
    }
    return isDone
  }

  /// Unsubscribes and disconnects. The end of the turn retries failed clean-ups and reports them.
  private func cleanUp() async {
    let links = state.withLock { $0.links }
    _ = try? await shielded(on: loop, limit: runner.scheduler.cleanUpLimit) {
      for link in links {
        if link.isLinked { try? await link.service.endAllUses().run { _ in } }
        await link.unlinked()
      }
    }
  }

  /// Returns the ending of the test.
  ///
  /// - Parameter thrown: The error of its turn; nil if it succeeded.
  private func ending(_ thrown: (any Error)?) -> RunEnding {
    let state = state.withLock { $0 }
    var status = RunEnding.Status.ok
    var failure = state.failure
    if let thrown {
      let isCleanUp = (thrown as? FailedWithCleanUp).map { $0.cause == nil } ?? false
      status = isCleanUp ? .failed : .cancelled
      if failure == nil || !isCleanUp { failure = RunFailure(thrown, while: "running the test") }
    } else if failure != nil {
      status = .failed
    } else if state.warnings > 0 {
      status = .warning
    }
    return RunEnding(
      status: status, failure: failure, step: state.failedAt, done: state.done,
      warnings: state.warnings
    )
  }

  // MARK: Targets

  /// Returns the device that a target is bound to; nil if it is not bound.
  func device(of target: String) -> DeviceTarget? { bound.withLock { $0[target] } }

  /// Returns the name of a target's device in the output.
  func deviceName(of target: String) -> String {
    runner.device(of: target, in: bound.withLock { $0 })
  }

  /// Returns the state of a target, if the test has used it.
  func existingLink(_ target: String) -> TargetLink? {
    state.withLock { $0.links.first { $0.target == target } }
  }

  /// Returns the state of a target, which is created if necessary; nil if the target is not bound.
  func link(_ target: String) -> TargetLink? {
    if let link = existingLink(target) { return link }
    guard let device = device(of: target) else { return nil }
    let link = TargetLink(target, runner.makeService(device))
    state.withLock { $0.links.append(link) }
    return link
  }

  /// Binds a target to another device.
  func rebind(_ target: String, to address: BluetoothAddress) {
    state.withLock { $0.links.removeAll { $0.target == target } }
    bound.withLock { $0[target] = .address(address) }
  }
}
