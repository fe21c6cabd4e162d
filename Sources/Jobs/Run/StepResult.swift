// What came of a step.

public import Bluetooth

/// How one step of a run ended.
public struct StepResult: Equatable, Sendable {
  public enum Status: String, Hashable, Sendable {
    case ok
    /// It did not end as expected, which the suite accepts, or its notes matter. Chains have none.
    case warning
    case failed
    case cancelled
    /// The condition of a `when` did not hold.
    case skipped
  }

  public let step: ReportedStep
  public let status: Status
  /// What it brought; also of a step that failed when its value came and was not as expected.
  public let outcome: StepOutcome?
  /// Why it failed. Nil for a `repeat` or `when` in which another step failed. A step whose failure was
  /// expected has one too, with the status `ok`.
  public let failure: RunFailure?
  /// Remarks, a sentence each: of a warning, its reasons.
  public let notes: [String]
  /// How long it took.
  public let took: Duration

  public init(
    _ step: ReportedStep,
    status: Status,
    outcome: StepOutcome?,
    failure: RunFailure?,
    notes: [String] = [],
    took: Duration
  ) {
    self.step = step
    self.status = status
    self.outcome = outcome
    self.failure = failure
    self.notes = notes
    self.took = took
  }
}

/// What a step brought.
public enum StepOutcome: Equatable, Sendable {
  /// The connection is up: it was made, or found and is left up.
  case linked(LinkOrigin)
  case value(StepValue)
  /// The device is paired.
  case paired(PairingOutcome)
  /// The octets that a write wrote.
  case written([UInt8])
  /// How many values a `notify` got, how many a second, and how many its buffer dropped.
  case listened(count: Int, rate: Double, dropped: Int = 0)
  /// What a `poll` came to.
  case polled(PollSummary)
  /// What an `exchange` was answered, and how long after the write was begun the device answered
  /// that, and notified the value; either may come first.
  case exchanged(StepValue, answered: Duration, notified: Duration)
  /// The ATT MTU, in octets.
  case mtu(Int)
  case services([GATTService])
  /// The devices that a `scan` found, each as it was last received, in the order first received.
  case scanned([Advertisement])
  /// What a `log` said.
  case said(String)
}

/// A value that a device gave.
public struct StepValue: Equatable, Sendable {
  public let octets: [UInt8]
  /// What the octets stand for; nil when they are not what their format or characteristic promises.
  public let decoded: DecodedValue?

  public init(octets: [UInt8], decoded: DecodedValue?) {
    self.octets = octets
    self.decoded = decoded
  }

  /// Understands octets in a format, else as the standard of the characteristic says, else as
  /// octets.
  ///
  /// - Throws: `ValueError` when they are not what that promises.
  public static func decode(
    _ octets: [UInt8],
    of selector: CharacteristicSelector,
    format: ValueFormat?
  ) throws(ValueError) -> DecodedValue {
    if let format { return try format.decode(octets) }
    guard selector.handle == nil,
      let decoder = StandardValues.decoder(for: selector.characteristic)
    else { return .octets(octets) }
    return try decoder(octets)
  }
}
