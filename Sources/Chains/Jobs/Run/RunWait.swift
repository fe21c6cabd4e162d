// The current wait of a run, for a live view.
//
// Journals and reports do not contain it.

import Bluetooth
import RunEvents
package import Signals

/// An operation or pause that a run has begun to wait for.
package struct RunWait: Equatable, Sendable {
  /// The number of an attempt, and the maximum number of attempts.
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
  /// The operation or pause: "connecting to Thermo-1", "reading battery-level".
  package let what: String
  package let begun: Instant
  /// The time after which the wait ends or fails; nil for no limit.
  package let limit: Duration?
  /// The number of values that ends the step; nil if no count does.
  package let values: Int?
  /// The attempt of the step, if it may have several.
  package let stepTry: Try?
  /// The attempt of the chain, if it may have several.
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
  /// Reports a new wait to the live view, if there is one.
  ///
  /// - Parameters:
  ///   - what: The operation or pause.
  ///   - limit: The time after which the wait ends or fails; nil for no limit.
  ///   - step: The running step; nil between two attempts of the chain.
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
  /// Reports a new wait of the step to the live view, if there is one.
  ///
  /// - Parameters:
  ///   - what: The operation or pause; nil for the operation of the step.
  ///   - limit: The time after which the wait ends or fails; nil for no limit.
  func awaits(_ what: String? = nil, limit: Duration?) {
    chain.awaits(what ?? step.kind.participle(with: chain.runner.device), limit: limit, in: self)
  }
}
