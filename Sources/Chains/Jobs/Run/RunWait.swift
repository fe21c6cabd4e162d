// What a run waits for: for a view of it while it lasts.
//
// Only a view has it: journals and reports do not.

import Bluetooth
package import Signals

/// What a run waits for from now on.
package struct RunWait: Equatable, Sendable {
  /// The ordinal of one of several tries.
  package struct Try: Equatable, Sendable {
    package let ordinal: Int
    package let most: Int

    package init(_ ordinal: Int, of most: Int) {
      self.ordinal = ordinal
      self.most = most
    }
  }

  /// The written step; nil for an implied one, and between two attempts of the chain.
  package let position: StepPosition?
  /// "connecting to Thermo-1", "reading battery-level".
  package let what: String
  /// Since when.
  package let begun: Instant
  /// After how long it ends or fails; nil where nothing limits it.
  package let limit: Duration?
  /// How many values end it; nil where no count does, or it has none.
  package let values: Int?
  /// The try of the step, where it has several.
  package let stepTry: Try?
  /// The attempt of the chain, where it has several.
  package let attempt: Try?

  package init(
    position: StepPosition? = nil, what: String, begun: Instant, limit: Duration? = nil,
    values: Int? = nil, stepTry: Try? = nil, attempt: Try? = nil
  ) {
    self.position = position
    self.what = what
    self.begun = begun
    self.limit = limit
    self.values = values
    self.stepTry = stepTry
    self.attempt = attempt
  }
}

extension ChainRun {
  /// Reports what is waited for, if somebody looks.
  ///
  /// - Parameters:
  ///   - what: What it is.
  ///   - limit: After how long it ends or fails; nil: nothing limits it.
  ///   - step: The step under way.
  func awaits(_ what: @autoclosure () -> String, limit: Duration?, in step: StepRun? = nil) {
    guard let follow = runner.follow else { return }
    let attempt = state.withLock { $0.attempt.number }
    let attempts = runner.plan.retry.attempts
    follow(
      RunWait(
        position: step.flatMap { $0.placed.isImplied ? nil : $0.placed.position }, what: what(),
        begun: loop.now, limit: limit, values: (step?.step.kind as? any StreamingKind)?.stop.count,
        stepTry: step?.stepTry,
        attempt: attempts > 1 ? RunWait.Try(max(1, attempt), of: attempts) : nil
      )
    )
  }
}

extension StepRun {
  /// Reports what the step waits for, if somebody looks.
  ///
  /// - Parameters:
  ///   - what: What it is; nil for its operation.
  ///   - limit: After how long it ends or fails; nil: nothing limits it.
  func awaits(_ what: String? = nil, limit: Duration?) {
    chain.awaits(what ?? step.kind.doing(with: chain.runner.device), limit: limit, in: self)
  }
}
