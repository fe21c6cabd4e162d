// A plan on a device, as a cold signal.
//
// It is only the description of a run; each subscription starts a ChainRun.

public import Bluetooth
import RunEvents
public import Signals

/// Runs the program of a `command` step and returns its standard output. Throws
/// ``CommandStep/Failure``.
public typealias RunCommand = @Sendable (CommandStep.Call) async throws -> [UInt8]

/// A runner of a plan on one device, which reports events.
///
/// It connects, runs the steps in order, and disconnects even after a failure. A failed step ends
/// the chain, unless its `onFailure` says otherwise.
public struct ChainRunner: Sendable {
  public let plan: Plan
  /// The device to run on.
  public let service: any Device
  /// The identity of the run, part of each event.
  public let identity: RunIdentity
  /// The name of the device in events.
  public let device: String
  /// The advertised name, if events identify the device by its address; otherwise nil.
  var deviceName: String?
  /// Asks the user pairing questions that the plan does not answer; nil if there is no user.
  public var ask: PairingAnswers.Ask?
  /// Runs the programs of `command` steps; nil rejects a chain with such a step before it begins.
  public var runCommand: RunCommand?
  /// The file of the chain, which labels the run if several files run; nil for a single one.
  public var file: String?
  /// Receives each wait of the run, on the loop; nil if no view shows them.
  package var follow: (@Sendable (RunWait) -> Void)?
  let report: @Sendable (RunEvent) -> Void

  /// Creates a runner; starts nothing.
  ///
  /// ```swift
  /// let identity = RunIdentity(seed: 1, plan: plan)
  /// let runner = ChainRunner(plan: plan, service: sensor, identity: identity) { print($0.change) }
  /// let ending = try await runner.ending().first(within: .seconds(60))
  /// ```
  ///
  /// - Parameters:
  ///   - plan: The plan to run.
  ///   - service: The device.
  ///   - identity: The identity of the run, part of each event.
  ///   - device: The name of the device in events; nil for the description of the service.
  ///   - report: Called with each event, on the loop of the scheduler, one at a time. It must store
  ///     the event before it returns: the next step begins right after.
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

  /// Runs the chain and sends its ending once; a failed chain fails the signal. For signals that
  /// continue only after a success.
  ///
  /// ```swift
  /// let runner = ChainRunner(
  ///   plan: plan, service: sensor, identity: RunIdentity(seed: 1, plan: plan))
  /// let both = runner.chain().flattenMap { _ in sensor.read("battery-level") }
  /// ```
  ///
  /// - Returns: A signal that fails with the error of the failed step; ``RunFailure`` explains it.
  public func chain() -> Signal<RunEnding> {
    Signal(home: service.scheduler) { [self] sink in
      let (ending, error) = await ChainRun(self).run()
      if let error { throw error }
      try await sink(ending)
    }
  }

  /// Runs the chain and sends its ending once, even if the chain failed.
  ///
  /// ```swift
  /// let runner = ChainRunner(
  ///   plan: plan, service: sensor, identity: RunIdentity(seed: 1, plan: plan))
  /// let status = try await runner.ending().map(\.exitStatus).first(within: .seconds(60))
  /// ```
  ///
  /// - Returns: A signal that fails only if it is cancelled; the last event then has the ending.
  public func ending() -> Signal<RunEnding> {
    Signal(home: service.scheduler) { [self] sink in
      let (ending, error) = await ChainRun(self).run()
      if let error, ending.status != .failed { throw error }
      try await sink(ending)
    }
  }
}
