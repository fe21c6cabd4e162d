// The events of a run, for reports, journals and views.

public import Bluetooth

/// One event of a run.
///
/// The order is: run-started; for each step its start, its values, its finish; run-finished last,
/// after everything that was connected is disconnected.
public struct RunEvent: Equatable, Sendable {
  /// What happened.
  public enum Change: Equatable, Sendable {
    /// The run began; nothing is connected yet.
    case runStarted(RunStart)
    /// A step began.
    case stepStarted(ReportedStep)
    /// A value of a `read` or `notify` step, as it came.
    case value(ReportedStep, StepValue)
    /// A device that an operation of a suite found, as it was received.
    case advertisement(ReportedStep, Advertisement)
    /// Somebody is to type this on the device; without a step when the device began to pair.
    case pairingDisplay(ReportedStep?, PairingDisplay)
    /// A place in the values of a `notify` step where some are missing.
    case gap(ReportedStep, NotificationGap)
    /// What a person noted at this moment.
    case note(String)
    /// A step ended, with its result.
    case stepFinished(StepResult)
    /// The run ended, after the disconnect.
    case runFinished(RunEnding)
  }

  /// The run that the event belongs to.
  public let run: RunIdentity
  /// The device, as output names it.
  public let device: String
  /// The name of a device that output names by its address, because a scan found it; nil for others.
  public let deviceName: String?
  /// Which try of the chain this belongs to, from 1.
  public let attempt: Int
  /// How long after the start of the run, on the loop's clock: of a value, when it arrived.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z. It moves with the loop's clock.
  public let wallClock: Duration
  /// What happened.
  public package(set) var change: Change

  /// An event; runs make them.
  public init(
    run: RunIdentity, device: String, deviceName: String? = nil, attempt: Int, offset: Duration,
    wallClock: Duration, change: Change
  ) {
    self.run = run
    self.device = device
    self.deviceName = deviceName
    self.attempt = attempt
    self.offset = offset
    self.wallClock = wallClock
    self.change = change
  }
}

extension RunEvent {
  /// The device for people: `Door-7 (C0:FF:EE:00:00:07)` where both are known.
  package var deviceTitle: String { DeviceTitle.text(device, name: deviceName) }

  /// The step of a value that is one of a stream; nil for every other event.
  package var stepOfStream: ReportedStep? {
    guard case .value(let step, _) = change, step.isStream else { return nil }
    return step
  }
}

/// What is known of a run at its start.
public struct RunStart: Equatable, Sendable {
  /// A test of a suite, which is a run of its own.
  public struct Test: Hashable, Sendable {
    /// The ordinal of the test in the run of the suite, from 1.
    public let index: Int
    /// The name of the test.
    public let name: String
    /// The identifier of the target of operations that name none.
    public let target: String?

    package init(index: Int, name: String, target: String?) {
      self.index = index
      self.name = name
      self.target = target
    }
  }

  /// The name of the chain or suite, if it has one.
  public let chain: String?
  /// How many steps are written, inner ones included.
  public let steps: Int
  /// The seed of the run's identity, and of its simulation.
  public let seed: UInt64
  /// The test that the run is; nil for a chain.
  public let test: Test?
  /// The file of the chain, where several files run; nil for a single one.
  public let file: String?

  /// What is known at the start of a run.
  public init(chain: String?, steps: Int, seed: UInt64, test: Test? = nil, file: String? = nil) {
    self.chain = chain
    self.steps = steps
    self.seed = seed
    self.test = test
    self.file = file
  }
}

/// How a run ended.
public struct RunEnding: Equatable, Sendable {
  /// How a run ended.
  public enum Status: String, CaseIterable, Hashable, Sendable {
    /// All steps succeeded.
    case ok
    /// The run of a test completed with warnings. That of a chain is ``ok`` with them.
    case warning
    /// A step, or the clean-up, failed.
    case failed
    /// It was ended from outside: by a signal, by a deadline over the whole run, by its consumer.
    case cancelled
  }

  /// Whether it succeeded.
  public internal(set) var status: Status
  /// The first cause of the last try; nil when all succeeded.
  public internal(set) var failure: RunFailure?
  /// The step that failed or was cancelled, if it was one.
  public let step: ReportedStep?
  /// How many steps of the chain were done in the last try, those of repetitions counted each time.
  public let done: Int
  /// How many steps of the last try ended with a warning.
  public let warnings: Int
  /// The values that steps of the last try captured, by their names.
  public let captured: [String: DecodedValue]

  /// The ending of a run; see the properties for what is what.
  public init(
    status: Status, failure: RunFailure?, step: ReportedStep?, done: Int, warnings: Int = 0,
    captured: [String: DecodedValue] = [:]
  ) {
    self.status = status
    self.failure = failure
    self.step = step
    self.done = done
    self.warnings = warnings
    self.captured = captured
  }

  /// What the process ends with when this run is all it did.
  public var exitStatus: ExitStatus { ExitStatus(after: failure) }
}
