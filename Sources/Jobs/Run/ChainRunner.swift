// A plan on a device: cold until it is run.

public import Bluetooth
public import Signals

/// Runs a plan on a device, telling of everything that happens.
///
/// It connects first, does the steps in order, and disconnects at every ending. The rest of the
/// chain is not run when a step fails.
public struct ChainRunner: Sendable {
  public let plan: Plan
  public let service: any DeviceService
  public let identity: RunIdentity
  /// The device, as events name it.
  public let device: String
  /// Asks a person what pairing wants to know and the plan does not answer; nil: there is nobody.
  public var ask: PairingAnswers.Ask?
  let report: @Sendable (RunEvent) -> Void

  /// Describes a run; nothing happens yet.
  ///
  /// - Parameters:
  ///   - device: What events call the device; as the service describes it when nil.
  ///   - report: Called with each event as it happens, on the scheduler's loop, one at a time. What
  ///     it has to keep it must have kept when it returns: the next step waits for it.
  public init(
    plan: Plan,
    service: any DeviceService,
    identity: RunIdentity,
    device: String? = nil,
    report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) {
    self.plan = plan
    self.service = service
    self.identity = identity
    self.device = device ?? service.deviceDescription
    self.report = report
  }

  /// The run: it sends what came of each step as it ends.
  ///
  /// A consumer that stops it early, as `firstOrDefault` does after one value, cancels the rest;
  /// see ``ending()`` for code that wants the run as a whole.
  ///
  /// - Returns: Fails with what the failing step failed with; ``RunFailure`` says what that means.
  public func chain() -> Signal<StepResult> {
    Signal(home: service.scheduler) { [self] sink in
      _ = try await ChainRun(self).run(sink)
    }
  }

  /// The run as a whole: it sends how it ended, once, whether well or not.
  ///
  /// - Returns: Fails only when it is cancelled from outside; then the last event says how it ended.
  public func ending() -> Signal<RunEnding> {
    Signal(home: service.scheduler) { [self] sink in
      let run = ChainRun(self)
      let ending: RunEnding
      do {
        ending = try await run.run { _ in }
      } catch {
        guard let failed = run.ending, failed.status == .failed else { throw error }
        ending = failed
      }
      try await sink(ending)
    }
  }
}
