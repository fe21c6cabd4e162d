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
    position: StepPosition? = nil,
    what: String,
    begun: Instant,
    limit: Duration? = nil,
    values: Int? = nil,
    stepTry: Try? = nil,
    attempt: Try? = nil
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
  ///   - what: What it is; nil for the operation of the step.
  ///   - limit: After how long it ends or fails.
  func awaits(_ placed: PlacedStep?, _ what: String? = nil, limit: Duration?) {
    guard let follow = runner.follow else { return }
    let (attempt, stepTry) = state.withLock { ($0.attempt, $0.stepTry) }
    let attempts = runner.plan.retry.attempts
    follow(
      RunWait(
        position: placed.flatMap { $0.isImplied ? nil : $0.position },
        what: what ?? placed.map { doing($0.step) } ?? "",
        begun: loop.now,
        limit: limit,
        values: (placed?.step.kind as? any StreamingKind)?.stop.count,
        stepTry: placed == nil ? nil : stepTry,
        attempt: attempts > 1 ? RunWait.Try(max(1, attempt), of: attempts) : nil
      )
    )
  }

  /// The operation of a step, with the device where it is about that.
  private func doing(_ step: Step) -> String {
    switch step.action {
    case .connect: "\(step.doing) to \(runner.device)"
    case .disconnect: "\(step.doing) from \(runner.device)"
    case .pair: "\(step.doing) with \(runner.device)"
    case .read, .write, .notify, .exchange, .poll, .combine, .rssi, .unpair, .trust, .mtu,
      .connectionParameters, .services, .readDescriptor, .writeDescriptor, .scan, .sleep, .log,
      .command, .repeated, .when, .assert, .tried:
      step.doing
    }
  }
}
