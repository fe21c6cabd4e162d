// One run of a test: its operations in order, its clean-up, its result.
//
// What each operation does is in TestRun+Operations.swift and beside it.

import Bluetooth
import Jobs
import Signals

/// The state of one run of a test, and its course.
final class TestRun: Sendable {
  private struct State {
    var links: [(target: String, link: TargetLink)] = []
    var done = 0
    var warnings = 0
    var failedAt: PlacedOperation?
    var failure: RunFailure?
  }

  let runner: SuiteRunner
  let test: SuiteTest
  let bindings: Bindings
  private let index: Int
  private let begun: Instant
  private let state = Guarded(State())

  init(
    _ runner: SuiteRunner,
    _ test: SuiteTest,
    index: Int,
    _ bindings: Bindings,
    begun: Instant
  ) {
    self.runner = runner
    self.test = test
    self.index = index
    self.bindings = bindings
    self.begun = begun
  }

  var loop: Loop { runner.scheduler.loop }

  func emit(_ change: SuiteEvent.Change) { runner.emit(change, since: begun) }

  // MARK: The course

  /// The test in a turn of its own: the first failure ends it.
  ///
  /// - Throws: What cancelled it. An operation that failed is in ``result(_:took:)``.
  func perform() async throws {
    do {
      for (number, operation) in test.operations.enumerated() {
        // Operations that wait for nothing must leave the loop to others: to signals, above all.
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

  /// Does one operation, and reports it; false when the test ends with it.
  private func perform(_ operation: Operation, number: Int) async throws -> Bool {
    let target = operation.target ?? test.target
    let placed = PlacedOperation(
      test: index,
      number: number,
      operation: operation,
      target: operation.kind == .none ? nil : target
    )
    emit(.operationStarted(placed))
    let start = loop.now
    let verdict = await verdict(of: placed)
    let result = OperationResult(
      placed,
      status: verdict.status,
      outcome: verdict.outcome,
      failure: verdict.failure,
      notes: verdict.notes,
      took: loop.now - start
    )
    state.withLock { state in
      switch verdict.status {
      case .ok: state.done += 1
      case .warning:
        state.done += 1
        state.warnings += 1
      case .failed, .cancelled:
        state.failedAt = placed
        state.failure = verdict.failure
      }
    }
    emit(.operationFinished(result))
    if verdict.status == .cancelled { throw verdict.error ?? CancellationError() }
    let isDone = verdict.status == .ok || verdict.status == .warning
    if isDone, verdict.error == nil, operation.hasPause {
      try await loop.sleep(for: runner.settings.afterConnect)
    }
    return isDone
  }

  /// Ends what is subscribed, and disconnects; what cannot be is left to the end of the turn, which
  /// tries again and reports it.
  private func cleanUp() async {
    let links = state.withLock { $0.links }
    _ = try? await shielded(on: loop, limit: runner.scheduler.cleanUpLimit) {
      for (_, link) in links {
        if link.isLinked { try? await link.service.disconnect().run { _ in } }
        await link.unlinked()
      }
    }
  }

  // MARK: The result

  /// How the test ended.
  ///
  /// - Parameter thrown: What its turn failed with.
  func result(_ thrown: (any Error)?, took: Duration) -> TestResult {
    let state = state.withLock { $0 }
    var status = OperationResult.Status.ok
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
    return TestResult(
      test: test,
      index: index,
      status: status,
      failedAt: state.failedAt,
      failure: failure,
      done: state.done,
      warnings: state.warnings,
      took: took
    )
  }

  // MARK: Targets

  /// The device of a target.
  ///
  /// - Throws: ``DeviceFailure`` when it is not bound, or none is named.
  func link(_ placed: PlacedOperation) throws -> TargetLink {
    guard let target = placed.operation.target ?? test.target else {
      throw unbound(placed, "neither the operation nor its test names a target")
    }
    if let link = existingLink(target) { return link }
    guard let device = bindings[target] else {
      throw unbound(placed, "the target '\(target)' is bound to no device")
    }
    let link = TargetLink(runner.makeService(device))
    state.withLock { $0.links.append((target, link)) }
    return link
  }

  func existingLink(_ target: String) -> TargetLink? {
    state.withLock { $0.links.first { $0.target == target }?.link }
  }

  /// The target is another device from now on.
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
  /// Whether it is followed by a pause.
  fileprivate var hasPause: Bool { action == .connect || action == .refresh }

  /// What is being done, for failures: its name, and what it is about.
  var doing: String { subject.map { "\(name) \($0)" } ?? name }
}
