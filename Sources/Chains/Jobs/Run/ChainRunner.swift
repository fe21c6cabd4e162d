// A plan on a device, as a cold signal.

public import Bluetooth
public import Signals

/// Runs a program of a `command` step, and returns what it printed. It fails with ``Command/Failure``.
public typealias RunCommand = @Sendable (Command.Call) async throws -> [UInt8]

/// Runs a plan on a device, and reports events.
///
/// It connects first, runs the steps in order, and disconnects at every ending. When a step fails,
/// the rest of the chain is not run.
public struct ChainRunner: Sendable {
  /// What is run.
  public let plan: Plan
  /// The device that it is run on.
  public let service: any Device
  /// The identity of the run, part of each event.
  public let identity: RunIdentity
  /// The name of the device in events.
  public let device: String
  /// The name of a device that events name by its address; nil for others.
  var deviceName: String?
  /// Asks the user the pairing questions that the plan does not answer; nil: there is no user.
  public var ask: PairingAnswers.Ask?
  /// Runs the programs of `command` steps; nil: a chain with such a step is refused before it begins.
  public var runCommand: RunCommand?
  /// The file of the chain, which names the run where several files run; nil for a single one.
  public var file: String?
  /// Receives what the run waits for, on the loop; nil: nobody looks.
  package var follow: (@Sendable (RunWait) -> Void)?
  let report: @Sendable (RunEvent) -> Void

  /// Describes a run; starts nothing.
  ///
  /// ```swift
  /// let identity = RunIdentity(seed: 1, plan: plan)
  /// let runner = ChainRunner(plan: plan, service: sensor, identity: identity) { print($0.change) }
  /// let ending = try await runner.ending().first(within: .seconds(60))
  /// ```
  ///
  /// - Parameters:
  ///   - plan: What to run.
  ///   - service: The device.
  ///   - identity: The identity of the run, part of each event.
  ///   - device: The name of the device in events; nil for the description of the service.
  ///   - report: Called with each event, on the loop of the scheduler, one at a time. A receiver
  ///     must have stored an event when it returns: the next step waits for it.
  public init(
    plan: Plan, service: any Device, identity: RunIdentity, device: String? = nil,
    report: @escaping @Sendable (RunEvent) -> Void = { _ in }
  ) {
    self.plan = plan
    self.service = service
    self.identity = identity
    self.device = device ?? service.deviceDescription
    self.report = report
  }

  /// The run, which fails as the chain does: for signals that go on only after a success. It sends its
  /// ending, once.
  ///
  /// ```swift
  /// let runner = ChainRunner(
  ///   plan: plan, service: sensor, identity: RunIdentity(seed: 1, plan: plan))
  /// let both = runner.chain().flattenMap { _ in sensor.read("battery-level") }
  /// ```
  ///
  /// - Returns: Fails with the error of the failing step; ``RunFailure`` explains it.
  public func chain() -> Signal<RunEnding> {
    Signal(home: service.scheduler) { [self] sink in
      let (ending, error) = await ChainRun(self).run()
      if let error { throw error }
      try await sink(ending)
    }
  }

  /// The run, which sends its ending, once, whether the chain succeeded or failed.
  ///
  /// ```swift
  /// let runner = ChainRunner(
  ///   plan: plan, service: sensor, identity: RunIdentity(seed: 1, plan: plan))
  /// let status = try await runner.ending().map(\.exitStatus).first(within: .seconds(60))
  /// ```
  ///
  /// - Returns: Fails only when it is cancelled from outside; then the last event has the ending.
  public func ending() -> Signal<RunEnding> {
    Signal(home: service.scheduler) { [self] sink in
      let (ending, error) = await ChainRun(self).run()
      if let error, ending.status != .failed { throw error }
      try await sink(ending)
    }
  }
}
