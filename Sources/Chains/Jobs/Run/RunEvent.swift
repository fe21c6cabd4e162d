// The events of a run, for reports, journals and views.

public import Bluetooth

/// An event of a run.
///
/// The order is: `runStarted`; for each step its start, its values and its end; `runFinished` last,
/// after the disconnect.
public struct RunEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    /// The run began; nothing is connected yet.
    case runStarted(RunStart)
    /// A step began.
    case stepStarted(ReportedStep)
    /// A value of a step, such as `read` or `notify`.
    case value(ReportedStep, StepValue)
    /// An advertisement that an operation of a suite received.
    case advertisement(ReportedStep, Advertisement)
    /// A passkey that the user must enter on the device; the step is nil if the device started
    /// pairing.
    case pairingDisplay(ReportedStep?, PairingDisplay)
    /// A gap in the notifications of a `notify` step.
    case gap(ReportedStep, NotificationGap)
    /// A note that the user entered at this moment.
    case note(String)
    /// A step ended.
    case stepFinished(StepResult)
    /// The run ended, after the disconnect.
    case runFinished(RunEnding)
  }

  /// The run of the event.
  public let run: RunIdentity
  /// The name of the device in output.
  public let device: String
  /// The advertised name of a device that output identifies by its address, because a scan found
  /// it; otherwise nil.
  public let deviceName: String?
  /// The attempt of the chain, from 1.
  public let attempt: Int
  /// The time since the start of the run, on the loop's clock; for a value, of its arrival.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z. It advances with the loop's clock.
  public let wallClock: Duration
  public package(set) var change: Change

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
  /// The device for output: `Door-7 (C0:FF:EE:00:00:07)` if both are known.
  package var deviceTitle: String { DeviceTitle.text(device, name: deviceName) }

  /// The step of a value in a stream; nil for every other event.
  package var stepOfStream: ReportedStep? {
    guard case .value(let step, _) = change, step.isStream else { return nil }
    return step
  }
}

/// The facts about a run that are known at its start.
public struct RunStart: Equatable, Sendable {
  /// A test of a suite, which is a run of its own.
  public struct Test: Hashable, Sendable {
    /// The number of the test in the run of the suite, from 1.
    public let index: Int
    public let name: String
    /// The identifier of the default target of the operations.
    public let target: String?

    package init(index: Int, name: String, target: String?) {
      self.index = index
      self.name = name
      self.target = target
    }
  }

  /// The name of the chain or suite, if it has one.
  public let chain: String?
  /// The number of steps as written, including inner ones.
  public let steps: Int
  /// The seed of the run's identity and of its simulation.
  public let seed: UInt64
  /// The test; nil for a chain.
  public let test: Test?
  /// The file of the chain, if several files run; nil for a single one.
  public let file: String?

  public init(chain: String?, steps: Int, seed: UInt64, test: Test? = nil, file: String? = nil) {
    self.chain = chain
    self.steps = steps
    self.seed = seed
    self.test = test
    self.file = file
  }
}

/// The outcome of a run.
public struct RunEnding: Equatable, Sendable {
  /// The outcome of a run in one word.
  public enum Status: String, CaseIterable, Hashable, Sendable {
    /// All steps succeeded; in a chain, some may have warned.
    case ok
    /// A test ended with warnings. A chain with warnings is ``ok``.
    case warning
    /// A step or the cleanup failed.
    case failed
    /// A signal, a deadline over the entire run, or its subscriber cancelled the run.
    case cancelled
  }

  public internal(set) var status: Status
  /// The failure that ended the last attempt; nil after a success.
  public internal(set) var failure: RunFailure?
  /// The step that failed or was cancelled; nil if there is none.
  public let step: ReportedStep?
  /// The number of steps done in the last attempt, each repetition counted.
  public let done: Int
  /// The number of steps in the last attempt that ended with a warning.
  public let warnings: Int
  /// The captured values of the last attempt, by name.
  public let captured: [String: DecodedValue]

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

  /// The exit status of a process that runs only this run.
  public var exitStatus: ExitStatus { ExitStatus(after: failure) }
}
