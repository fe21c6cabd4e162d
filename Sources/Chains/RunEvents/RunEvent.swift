// The events of a run, for reports, journals and views.

public import Bluetooth

/// An event of a run.
///
/// The order is: `runStarted`; for each step its start, its values and its end; `runFinished` last,
/// after the disconnect. The tests of a suite come between the start and the end of their group.
public struct RunEvent: Equatable, Sendable {
  public enum Change: Equatable, Sendable {
    /// The run, or the group of runs, began or ended.
    case run(RunChange)
    /// A step began or ended.
    case step(StepChange)
    /// Data of a step that is under way.
    case data(ReportedStep, StepData)
    /// A text that the user of the run reads or wrote.
    case remark(Remark)
  }

  /// The begin or the end of a run, or of a group of runs.
  public enum RunChange: Equatable, Sendable {
    /// The run began; nothing is connected yet.
    case started(RunStart)
    /// The run ended, after the disconnect.
    case finished(RunEnding)
    /// A suite began; its tests follow, each as a run.
    case groupStarted(RunGroup)
    /// The last test of a suite ended, or the suite was cancelled.
    case groupFinished(RunGroupEnding)
  }

  /// The begin or the end of a step.
  public enum StepChange: Equatable, Sendable {
    case started(ReportedStep)
    case finished(StepResult)
  }

  /// Data that a step received or computed.
  public enum StepData: Equatable, Sendable {
    /// A value of a step, such as `read` or `notify`.
    case value(StepValue)
    /// An advertisement that an operation of a suite received.
    case advertisement(Advertisement)
    /// A gap in the notifications of a `notify` step.
    case gap(NotificationGap)
  }

  /// A text for the user, or from the user.
  public enum Remark: Equatable, Sendable {
    /// A passkey that the user must enter on the device; the step is nil if the device started
    /// pairing.
    case pairingDisplay(ReportedStep?, PairingDisplay)
    /// A note that the user entered at this moment.
    case note(String)
  }

  /// The test of a suite, as each of its events describes it.
  public struct Test: Hashable, Sendable {
    /// The number of the test in the run of the suite, from 1.
    public let index: Int
    /// The identifier of the test in the suite.
    public let id: String
    /// The description of the test, or else its identifier.
    public let title: String
    /// The description of this run of the test, if it has one.
    public let description: String?
    /// The identifier of the default target of the operations.
    public let target: String?
    /// The start, as the time since the start of the suite.
    public let begun: Duration

    package init(
      index: Int, id: String, title: String, description: String? = nil, target: String?,
      begun: Duration = .zero
    ) {
      self.index = index
      self.id = id
      self.title = title
      self.description = description
      self.target = target
      self.begun = begun
    }

    /// The title, with the description of this run.
    public var name: String { title + (description.map { ", \($0)" } ?? "") }
  }

  /// The run of the event.
  public let run: RunIdentity
  /// The name of the device in output.
  public let device: String
  /// The advertised name of a device that output identifies by its address, because a scan found
  /// it; otherwise nil.
  public let deviceName: String?
  /// The test that is the run; nil for a chain, and for the begin and the end of the suite.
  public let test: Test?
  /// The attempt of the chain, from 1.
  public let attempt: Int
  /// The time since the start of the run, on the loop's clock; for a value, of its arrival.
  public let offset: Duration
  /// The wall-clock time, since 1970-01-01T00:00:00Z. It advances with the loop's clock.
  public let wallClock: Duration
  public package(set) var change: Change

  public init(
    run: RunIdentity, device: String, deviceName: String? = nil, test: Test? = nil, attempt: Int,
    offset: Duration, wallClock: Duration, change: Change
  ) {
    self.run = run
    self.device = device
    self.deviceName = deviceName
    self.test = test
    self.attempt = attempt
    self.offset = offset
    self.wallClock = wallClock
    self.change = change
  }
}

extension RunEvent {
  /// The device for output: `Door-7 (C0:FF:EE:00:00:07)` if both are known.
  package var deviceTitle: String { DeviceTitle.text(device, name: deviceName) }

  /// The time since the start of the suite; for a chain, since its own start.
  package var offsetInGroup: Duration { offset + (test?.begun ?? .zero) }

  /// The step of a value in a stream; nil for every other event.
  package var stepOfStream: ReportedStep? {
    guard case .data(let step, .value) = change, step.isStream else { return nil }
    return step
  }
}

/// The facts about a run that are known at its start.
public struct RunStart: Equatable, Sendable {
  /// The name of the chain or suite, if it has one.
  public let chain: String?
  /// The number of steps as written, including inner ones.
  public let steps: Int
  /// The seed of the run's identity and of its simulation.
  public let seed: UInt64
  /// The file of the chain, if several files run; nil for a single one.
  public let file: String?

  public init(chain: String?, steps: Int, seed: UInt64, file: String? = nil) {
    self.chain = chain
    self.steps = steps
    self.seed = seed
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

  public package(set) var status: Status
  /// The failure that ended the last attempt; nil after a success.
  public package(set) var failure: RunFailure?
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

extension RunEvent {
  /// The progress of the upload of a `firmware` step, in percent; nil for other events, also for
  /// the value of the step.
  package var uploadedPercent: Int? {
    guard case .data(let step, .value(let value)) = change,
      step.operation == ReportedStep.update,
      case .integer(let percent)? = value.decoded?["percent"]
    else { return nil }
    return Int(percent)
  }
}
